use std::collections::HashMap;

pub struct Recent {
    capacity: usize,
    clock: u64,
    values: HashMap<u32, (u64, String)>,
}

impl Recent {
    pub fn new(capacity: usize) -> Self {
        Self { capacity, clock: 0, values: HashMap::new() }
    }

    pub fn get(&mut self, key: u32) -> Option<&str> {
        self.clock += 1;
        let entry = self.values.get(&key)?;
        entry.0 = self.clock;
        Some(&entry.1)
    }

    pub fn put(&mut self, key: u32, value: &str) {
        self.clock += 1;
        self.values.insert(key, (self.clock, value.to_string()));
        if self.values.len() > self.capacity {
            let oldest = self.values.iter().min_by_key(|(_, entry)| entry.0).unwrap().0;
            self.values.remove(oldest);
        }
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }
}
