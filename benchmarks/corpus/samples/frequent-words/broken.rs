use std::collections::HashMap;

pub fn frequent_words(text: &str, most: usize) -> Vec<(String, usize)> {
    let mut counts = HashMap::new();
    for word in text.split(|c: char| !c.is_alphabetic()) {
        let word = word.to_lowercase();
        if word.is_empty() {
            continue;
        }
        *counts.entry(word).or_insert(0) += 1;
    }
    let found: Vec<(String, usize)> = counts.into_iter().collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    found.truncate(most);
    found
}

pub fn longest<'a>(words: &'a [String]) -> Option<&'a str> {
    let mut best: Option<&str> = None;
    for word in words {
        if best.map_or(true, |held| word.len() > held.len()) {
            best = Some(word);
        }
    }
    best
}
