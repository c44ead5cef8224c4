use std::cmp::Ordering;

/// A set that keeps its values in order; the tree is not balanced.
pub struct Tree<T: Ord> {
    root: Option<Box<Node<T>>>,
}

struct Node<T: Ord> {
    value: T,
    left: Tree<T>,
    right: Tree<T>,
}

impl<T: Ord> Default for Tree<T> {
    fn default() -> Self {
        Self { root: None }
    }
}

impl<T: Ord> Tree<T> {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn insert(&mut self, value: T) -> bool {
        let Some(node) = &mut self.root else {
            let (left, right) = (Self::new(), Self::new());
            self.root = Some(Box::new(Node { value, left, right }));
            return true;
        };
        match value.cmp(&node.value) {
            Ordering::Less => node.left.insert(value),
            Ordering::Equal => false,
            Ordering::Greater => node.right.insert(value),
        }
    }

    pub fn contains(&self, value: &T) -> bool {
        self.root.as_ref().is_some_and(|node| match value.cmp(&node.value) {
            Ordering::Less => node.left.contains(value),
            Ordering::Equal => true,
            Ordering::Greater => node.right.contains(value),
        })
    }

    pub fn into_sorted(self) -> Vec<T> {
        let Some(node) = self.root else {
            return Vec::new();
        };
        let mut sorted = node.left.into_sorted();
        sorted.push(node.value);
        sorted.extend(node.right.into_sorted());
        sorted
    }

    pub fn depth(&self) -> usize {
        let below = |node: &Node<T>| 1 + node.left.depth().max(node.right.depth());
        self.root.as_deref().map_or(0, below)
    }
}
