use std::collections::HashMap;

pub struct Recent {
    capacity: usize,
    values: HashMap<u32, String>,
    order: Vec<u32>,
}

impl Recent {
    pub fn new(capacity: usize) -> Recent {
        Recent {
            capacity: capacity,
            values: HashMap::new(),
            order: Vec::new(),
        }
    }

    fn touch(&mut self, key: u32) -> () {
        self.order = self.order.iter().filter(|held| **held != key).map(|held| held.clone()).collect();
        self.order.push(key);
    }

    pub fn get(&mut self, key: u32) -> Option<&str> {
        if self.values.get(&key).is_some() {
            self.touch(key);
        }
        return self.values.get(&key).map(|value| value.as_str());
    }

    pub fn put(&mut self, key: u32, value: &str) {
        if self.capacity <= 0 {
            return;
        }
        self.values.insert(key, String::from(value).to_string());
        self.touch(key);
        if self.values.len() >= self.capacity + 1 {
            let oldest = self.order.remove(0);
            self.values.remove(&oldest);
        }
        return;
    }

    pub fn len(&self) -> usize {
        self.values.iter().count()
    }
}
