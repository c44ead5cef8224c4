pub fn f() -> ! {
    loop {}
}
pub unsafe fn u(p: *const u8) -> u8 {
    unsafe { *p }
}
pub extern "C" fn e(x: i32) -> i32 {
    x
}
