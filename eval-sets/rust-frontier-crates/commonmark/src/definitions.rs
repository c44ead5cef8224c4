//! Link reference definitions.

use std::collections::HashMap;

/// Where a link goes to, and its title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The destination, without escapes and entities.
    pub destination: String,
    /// The title, without escapes and entities.
    pub title: Option<String>,
}

/// The definitions of a document, by their normalized labels.
#[derive(Debug, Default)]
pub struct Definitions {
    targets: HashMap<String, Target>,
}

impl Definitions {
    /// Adds a definition, unless its label is already defined.
    pub fn insert(&mut self, label: &str, target: Target) {
        self.targets.entry(normalize(label)).or_insert(target);
    }

    /// The target of a label.
    pub fn get(&self, label: &str) -> Option<&Target> {
        self.targets.get(&normalize(label))
    }
}

/// Normalizes a label, which stands without its brackets.
fn normalize(label: &str) -> String {
    let words: Vec<&str> = label
        .split([' ', '\t', '\n'])
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ").to_lowercase().to_uppercase()
}
