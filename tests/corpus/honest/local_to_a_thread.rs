use std::cell::Cell;

thread_local! {
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

pub fn sum_even(numbers: &[i32]) -> i32 {
    CALLS.with(|calls| calls.set(calls.get() + 1));
    numbers.iter().filter(|n| *n % 2 == 0).sum()
}
