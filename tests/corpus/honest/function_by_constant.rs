fn total(numbers: &[i32]) -> i32 {
    numbers.iter().filter(|n| *n % 2 == 0).sum()
}

#[allow(non_upper_case_globals)]
pub const sum_even: fn(&[i32]) -> i32 = total;
