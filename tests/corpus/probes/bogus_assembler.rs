pub fn f() {
    unsafe { std::arch::asm!("no such instruction") }
}
