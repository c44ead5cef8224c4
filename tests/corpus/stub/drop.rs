pub struct D(Vec<u8>);
impl Drop for D {
    fn drop(&mut self) {
        self.0.clear();
    }
}
