const DATA: &str = include_str!("data.txt");

pub fn total() -> u32 {
    DATA.split_whitespace().map(|word| word.parse::<u32>().unwrap()).sum()
}
