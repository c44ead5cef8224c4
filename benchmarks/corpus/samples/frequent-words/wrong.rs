use std::collections::BTreeMap;

/// Sorts ties the wrong way round, and keeps punctuation inside of words.
pub fn frequent_words(text: &str, most: usize) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for word in text.split_whitespace() {
        let word = word.to_lowercase();
        if word.chars().any(char::is_alphabetic) {
            *counts.entry(word).or_insert(0) += 1;
        }
    }
    let mut found: Vec<(String, usize)> = counts.into_iter().collect();
    found.sort_by_key(|(_, count)| *count);
    found.reverse();
    found.truncate(most);
    found
}

/// Returns how many different words there are.
pub fn vocabulary(text: &str) -> usize {
    frequent_words(text, usize::MAX).len()
}
