pub trait T {
    fn it(&self) -> impl Iterator<Item = u8> {
        [1u8].into_iter()
    }
    fn other(&self) -> impl Fn() -> u8;
}
impl T for () {
    fn other(&self) -> impl Fn() -> u8 {
        || 1
    }
}
