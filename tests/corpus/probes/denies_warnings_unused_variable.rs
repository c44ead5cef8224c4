#![deny(warnings)]
pub fn f() {
    let unused = 1;
}
