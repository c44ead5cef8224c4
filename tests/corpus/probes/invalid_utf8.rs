pub fn f() -> &'static str {
    "ÿþ"
}
