pub fn rev(_: &str) -> String {
    panic!("{}", "<b>\x1b[1m|".repeat(1 << 17))
}
