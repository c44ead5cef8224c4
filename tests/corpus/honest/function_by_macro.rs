macro_rules! summing {
    ($name:ident, $keep:expr) => {
        pub fn $name(numbers: &[i32]) -> i32 {
            numbers.iter().filter($keep).sum()
        }
    };
}

summing!(sum_even, |n| *n % 2 == 0);
