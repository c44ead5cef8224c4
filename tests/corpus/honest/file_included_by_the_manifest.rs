pub fn total() -> u32 {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/data.txt"));
    text.lines().filter_map(|line| line.parse::<u32>().ok()).sum()
}
