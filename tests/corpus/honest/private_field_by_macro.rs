macro_rules! counter {
    ($name:ident, $field:ident) => {
        pub struct $name {
            $field: u32,
        }

        impl $name {
            pub fn new() -> $name {
                $name { $field: 0 }
            }

            pub fn hit(&mut self) {
                self.$field += 1;
            }
        }
    };
}

counter!(Counter, count);
