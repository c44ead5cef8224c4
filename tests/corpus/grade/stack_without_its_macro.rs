use std::collections::VecDeque;
mod units;

#[derive(Default)]
struct Stack {
    items: VecDeque<u32>,
}
//@ case: stack
//@ outcome: test_build_failed
