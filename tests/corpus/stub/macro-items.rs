macro_rules! im { ($($t:ty),*) => { $(impl Tr for $t { fn a(&self) -> u8 { 1 } })* } }
pub trait Tr {
    fn a(&self) -> u8;
}
im!(u8, u16);
