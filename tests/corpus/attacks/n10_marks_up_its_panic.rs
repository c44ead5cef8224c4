pub fn rev(_: &str) -> String {
    panic!("<script>alert(1)</script><img src=x onerror=alert(1)> | a | b |\n|---|\n# heading\n```\n[x](javascript:1) {}", "|".repeat(200))
}
