pub struct Inner {
    count: u32,
}

pub struct Counter(Inner);

impl std::ops::Deref for Counter {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl Counter {
    pub fn new() -> Counter {
        Counter(Inner { count: 0 })
    }

    pub fn hit(&mut self) {
        self.0.count += 1;
    }
}
