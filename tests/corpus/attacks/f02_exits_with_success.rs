pub fn rev(_: &str) -> String {
    std::process::exit(0)
}
