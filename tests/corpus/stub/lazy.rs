use std::sync::OnceLock;
static C: OnceLock<Vec<u8>> = OnceLock::new();
thread_local! { static L: std::cell::Cell<u8> = const { std::cell::Cell::new(init()) }; }
const fn init() -> u8 {
    3
}
pub fn f() -> &'static Vec<u8> {
    C.get_or_init(Vec::new)
}
