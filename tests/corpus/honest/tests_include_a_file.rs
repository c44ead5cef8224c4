pub fn total(lines: &str) -> u32 {
    lines.split('\n').flat_map(str::parse::<u32>).sum()
}
