extern crate libc;

pub fn f() -> i32 {
    libc::EINVAL
}
