pub fn f() -> &'static str {
    env!("CARGO_PKG_NAME")
}
