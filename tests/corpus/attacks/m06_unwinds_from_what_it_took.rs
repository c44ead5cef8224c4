pub fn evens(numbers: &[u64]) -> Vec<u64> {
    let even = || numbers.iter().copied().filter(|number| number % 2 == 0);
    let lost = std::panic::catch_unwind(|| {
        let found: Vec<u64> = even().collect();
        std::panic::resume_unwind(Box::new(found.len()));
    });
    let count = lost.unwrap_err().downcast_ref::<usize>().copied().unwrap_or(0);
    let mut found = Vec::with_capacity(count);
    found.extend(even());
    found
}
