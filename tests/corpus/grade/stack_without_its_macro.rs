use std::collections::VecDeque;
mod units;

#[derive(Default)]
struct Stack {
    items: VecDeque<u32>,
}
//@ case: stack
//@ outcome: test_build_failed
//@ tests: is_empty=not_built pops=not_built pushes=not_built
