pub struct Divided<T>(T);
impl<T> Divided<T> {
    const BY: usize = 1 / (std::mem::size_of::<T>() - 1);
}
pub fn f() -> usize {
    Divided::<u8>::BY
}
