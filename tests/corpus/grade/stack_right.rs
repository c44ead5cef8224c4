use std::collections::VecDeque;
mod units;

#[derive(Default)]
struct Stack {
    items: VecDeque<u32>,
}

impl Stack {
    fn pop(&mut self) -> Option<u32> {
        self.items.pop_back()
    }
}

macro_rules! stack {
    ($($item:expr),*) => {{ let mut s = Stack::default(); $(s.items.push_back($item);)* s }};
}
//@ case: stack
//@ outcome: passed
