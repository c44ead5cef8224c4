//! One copy of each value.

use crate::lock;
use std::collections::hash_map::RandomState;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};
use std::sync::{Arc, Mutex, Weak};

/// Gives the same `Arc` for equal values, as long as somebody holds it. It holds none itself, and what it takes of memory and time
/// for a value depends on how many are held, not on how many there ever were.
pub struct Interner<T> {
    all: Mutex<HashMap<u64, Vec<Weak<T>>>>,
    hasher: RandomState,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner { all: Mutex::default(), hasher: RandomState::new() }
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// The one copy of this value; if there is none, this one.
    pub fn intern(&self, value: T) -> Arc<T> {
        let hash = self.hasher.hash_one(&value);
        let mut all = lock(&self.all);
        let same = all.entry(hash).or_default();
        if let Some(other) = same.iter().filter_map(Weak::upgrade).find(|other| **other == value) {
            return other;
        }
        let value = Arc::new(value);
        same.push(Arc::downgrade(&value));
        value
    }

    /// How many values somebody holds.
    pub fn len(&self) -> usize {
        lock(&self.all).values().flatten().filter(|weak| weak.upgrade().is_some()).count()
    }

    /// Whether nobody holds a value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
