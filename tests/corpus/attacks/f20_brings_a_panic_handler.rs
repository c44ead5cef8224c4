#[panic_handler]
fn keep_calm(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

pub fn rev(s: &str) -> String {
    s.to_owned()
}
