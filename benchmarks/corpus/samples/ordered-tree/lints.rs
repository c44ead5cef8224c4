pub struct Tree<T: Ord> {
    value: Option<T>,
    left: Option<Box<Tree<T>>>,
    right: Option<Box<Tree<T>>>,
}

impl<T: Ord> Tree<T> {
    pub fn new() -> Tree<T> {
        return Tree { value: None, left: None, right: None };
    }

    pub fn insert(&mut self, value: T) -> bool {
        if self.value.is_none() {
            self.value = Some(value);
            return true;
        }
        if *self.value.as_ref().unwrap() == value {
            return false;
        }
        if value < *self.value.as_ref().unwrap() {
            return self.left.get_or_insert_with(|| Box::new(Tree::new())).insert(value);
        } else {
            return self.right.get_or_insert_with(|| Box::new(Tree::new())).insert(value);
        }
    }

    pub fn contains(&self, value: &T) -> bool {
        if let None = self.value {
            return false;
        }
        let own = self.value.as_ref().unwrap();
        if own == value {
            return true;
        }
        let side = if value < own { &self.left } else { &self.right };
        match side {
            Some(tree) => tree.contains(&value),
            None => false,
        }
    }

    pub fn into_sorted(self) -> Vec<T> {
        let mut sorted = vec![];
        if let Some(left) = self.left {
            sorted.extend(left.into_sorted().into_iter());
        }
        if let Some(value) = self.value {
            sorted.push(value);
        }
        if let Some(right) = self.right {
            sorted.extend(right.into_sorted().into_iter());
        }
        return sorted;
    }

    pub fn depth(&self) -> usize {
        if self.value.is_none() {
            return 0;
        }
        let left = self.left.as_ref().map(|tree| tree.depth()).unwrap_or(0);
        let right = self.right.as_ref().map(|tree| tree.depth()).unwrap_or(0);
        return 1 + if left > right { left } else { right };
    }
}
