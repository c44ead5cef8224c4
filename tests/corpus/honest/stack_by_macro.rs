macro_rules! container {
    ($name:ident) => {
        pub struct $name<T> {
            items: Vec<T>,
        }
        
        impl<T> $name<T> {
            pub fn new() -> Self {
                $name { items: Vec::new() }
            }
        
            pub fn push(&mut self, item: T) {
                self.items.push(item);
            }
        
            pub fn pop(&mut self) -> Option<T> {
                self.items.pop()
            }
        
            pub fn len(&self) -> usize {
                self.items.len()
            }
        
            pub fn is_empty(&self) -> bool {
                self.items.is_empty()
            }
        }
        
    };
}

container!(Stack);
