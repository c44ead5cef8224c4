// The functions are private: only a module inside the crate can test them.
struct Run {
    length: usize,
    character: char,
}

fn runs(text: &str) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    for character in text.chars() {
        match found.last_mut() {
            Some(run) if run.character == character => run.length += 1,
            _ => found.push(Run { length: 1, character }),
        }
    }
    found
}

fn encode(text: &str) -> String {
    runs(text)
        .iter()
        .map(|run| match run.length {
            1 => run.character.to_string(),
            length => format!("{length}{}", run.character),
        })
        .collect()
}

fn decode(packed: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = packed;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let times = if digits == 0 { 1 } else { rest[..digits].parse().ok()? };
        let character = rest[digits..].chars().next()?;
        text.extend((0..times).map(|_: usize| character));
        rest = &rest[digits + character.len_utf8()..];
    }
    Some(text)
}
