#[link(name = "there_is_no_such_library")]
extern "C" {
    fn nothing() -> i32;
}

pub fn f() -> i32 {
    unsafe { nothing() }
}
