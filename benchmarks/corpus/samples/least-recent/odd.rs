use std::collections::HashMap;

/// The signatures are other ones: owned texts go in, and keys are borrowed.
#[derive(Default)]
pub struct Recent {
    capacity: usize,
    clock: u64,
    values: HashMap<u32, (u64, String)>,
}

impl Recent {
    pub fn with_capacity(capacity: usize) -> Self {
        Self { capacity, ..Self::default() }
    }

    pub fn get(&mut self, key: &u32) -> Option<String> {
        self.clock += 1;
        let (used, value) = self.values.get_mut(key)?;
        *used = self.clock;
        Some(value.clone())
    }

    pub fn put(&mut self, key: u32, value: String) -> Option<String> {
        self.clock += 1;
        let before = self.values.insert(key, (self.clock, value));
        while self.values.len() > self.capacity {
            let oldest = *self.values.iter().min_by_key(|(_, (used, _))| *used)?.0;
            self.values.remove(&oldest);
        }
        before.map(|(_, value)| value)
    }
}
