use std::collections::VecDeque;

/// Keeps the entries that were used last; the newest is at the back.
#[derive(Debug)]
pub struct Recent {
    capacity: usize,
    entries: VecDeque<(u32, String)>,
}

impl Recent {
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            entries: VecDeque::with_capacity(capacity),
        }
    }

    pub fn get(&mut self, key: u32) -> Option<&str> {
        let entry = self.take(key)?;
        self.entries.push_back(entry);
        self.entries.back().map(|(_, value)| value.as_str())
    }

    pub fn put(&mut self, key: u32, value: &str) {
        self.take(key);
        self.entries.push_back((key, value.to_owned()));
        while self.entries.len() > self.capacity {
            self.entries.pop_front();
        }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn take(&mut self, key: u32) -> Option<(u32, String)> {
        let place = self.entries.iter().position(|(held, _)| *held == key)?;
        self.entries.remove(place)
    }
}
