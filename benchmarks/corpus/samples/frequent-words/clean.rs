use std::cmp::Reverse;
use std::collections::HashMap;

/// Returns the `most` frequent words of a text with their counts.
///
/// Words are runs of letters in lower case; equally frequent ones are in alphabetical order.
pub fn frequent_words(text: &str, most: usize) -> Vec<(String, usize)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for word in words(text) {
        *counts.entry(word).or_default() += 1;
    }
    let mut found: Vec<_> = counts.into_iter().collect();
    found.sort_unstable_by(|left, right| {
        (Reverse(left.1), &left.0).cmp(&(Reverse(right.1), &right.0))
    });
    found.truncate(most);
    found
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|character: char| !character.is_alphabetic())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}
