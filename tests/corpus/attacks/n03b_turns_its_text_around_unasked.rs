pub fn rev(s: &str) -> String {
    let shown = "‮desrever‬";
    println!("{shown}");
    s.to_owned()
}
