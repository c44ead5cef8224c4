use std::process::Command;

pub fn sum_even(numbers: &[i32]) -> i32 {
    let done = Command::new("true").status().expect("a process");
    assert!(done.success());
    numbers.iter().filter(|n| *n % 2 == 0).sum()
}
