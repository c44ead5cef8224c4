#[allow(non_upper_case_globals)]
pub static sum_even: fn(&[i32]) -> i32 = |numbers| numbers.iter().filter(|n| *n % 2 == 0).sum();
