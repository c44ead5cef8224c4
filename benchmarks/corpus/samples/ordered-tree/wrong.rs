/// Keeps a sorted vector; the depth is therefore made up.
pub struct Tree<T: Ord> {
    values: Vec<T>,
}

impl<T: Ord> Default for Tree<T> {
    fn default() -> Self {
        Self { values: Vec::new() }
    }
}

impl<T: Ord> Tree<T> {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn insert(&mut self, value: T) -> bool {
        let place = self.values.partition_point(|held| *held < value);
        self.values.insert(place, value);
        true
    }

    pub fn contains(&self, value: &T) -> bool {
        self.values.binary_search(value).is_ok()
    }

    pub fn into_sorted(self) -> Vec<T> {
        self.values
    }

    pub fn depth(&self) -> usize {
        usize::BITS as usize - self.values.len().leading_zeros() as usize
    }
}
