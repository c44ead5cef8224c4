use std::collections::BTreeSet;

/// A tree of the standard library, with a depth that is counted beside it.
pub struct Tree<T: Ord> {
    values: Vec<(T, usize)>,
    seen: BTreeSet<usize>,
}

impl<T: Ord> Tree<T> {
    pub fn new() -> Self {
        let seen = BTreeSet::new();
        Self { values: Vec::new(), seen }
    }

    pub fn insert(&mut self, value: T) -> bool {
        let place = match self.values.binary_search_by(|(held, _)| held.cmp(&value)) {
            Ok(_) => return false,
            Err(place) => place,
        };
        // A new value hangs below the deeper one of its two neighbours.
        let above = |index: usize| self.values.get(index).map_or(0, |(_, depth)| *depth);
        let left = place.checked_sub(1).map_or(0, above);
        let depth = 1 + left.max(above(place));
        self.seen.insert(depth);
        self.values.insert(place, (value, depth));
        true
    }

    pub fn contains(&self, value: &T) -> bool {
        self.values.iter().any(|(held, _)| held == value)
    }

    pub fn into_sorted(self) -> Vec<T> {
        self.values.into_iter().map(|(value, _)| value).collect()
    }

    pub fn depth(&self) -> usize {
        self.seen.last().copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod own {
    use super::Tree;

    #[test]
    fn depth_of_a_chain() {
        let mut tree = Tree::new();
        assert!((0..5).all(|value| tree.insert(value)));
        assert_eq!(tree.depth(), 5);
    }
}
