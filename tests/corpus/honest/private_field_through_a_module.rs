mod counting {
    pub struct Counter {
        pub(super) count: u32,
    }

    impl Counter {
        pub fn new() -> Counter {
            Counter { count: 0 }
        }

        pub fn hit(&mut self) {
            self.count += 1;
        }
    }
}

pub use counting::Counter;
