macro_rules! it {
    ($n:expr) => {
        0..$n
    };
}
pub fn f() -> impl Iterator<Item = u8> {
    it!(3u8)
}
