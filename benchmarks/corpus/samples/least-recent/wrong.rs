use std::collections::{HashMap, VecDeque};

/// Drops what was put first, whether it was read since or not.
pub struct Recent {
    capacity: usize,
    values: HashMap<u32, String>,
    order: VecDeque<u32>,
}

impl Recent {
    pub fn new(capacity: usize) -> Self {
        Self { capacity, values: HashMap::new(), order: VecDeque::new() }
    }

    pub fn get(&mut self, key: u32) -> Option<&str> {
        self.values.get(&key).map(String::as_str)
    }

    pub fn put(&mut self, key: u32, value: &str) {
        if self.values.insert(key, value.to_string()).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > self.capacity {
            if let Some(oldest) = self.order.pop_front() {
                self.values.remove(&oldest);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}
