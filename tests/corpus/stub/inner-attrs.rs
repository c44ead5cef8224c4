pub fn f() -> impl Fn() -> u8 {
    #![allow(unused)]
    let x = 1;
    || 1
}
