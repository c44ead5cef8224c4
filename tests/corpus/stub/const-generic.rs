const fn d() -> usize {
    3
}
pub struct A<const N: usize>;
pub fn f() -> A<{ d() }> {
    A
}
