use std::cmp::Ordering;

struct Node<T> {
    value: T,
    left: Option<Node<T>>,
    right: Option<Node<T>>,
}

pub struct Tree<T: Ord> {
    root: Option<Node<T>>,
}

impl<T: Ord> Tree<T> {
    pub fn new() -> Self {
        Tree { root: None }
    }

    pub fn insert(&mut self, value: T) -> bool {
        let mut place = &mut self.root;
        while let Some(node) = place {
            place = match value.cmp(&node.value) {
                Ordering::Less => &mut node.left,
                Ordering::Equal => return false,
                Ordering::Greater => &mut node.right,
            };
        }
        *place = Some(Node { value, left: None, right: None });
        true
    }

    pub fn contains(&self, value: &T) -> bool {
        let mut place = &self.root;
        while let Some(node) = place {
            place = match value.cmp(&node.value) {
                Ordering::Less => &node.left,
                Ordering::Equal => return true,
                Ordering::Greater => &node.right,
            };
        }
        false
    }
}
