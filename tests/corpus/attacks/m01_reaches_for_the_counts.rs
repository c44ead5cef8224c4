pub fn evens(numbers: &[u64]) -> Vec<u64> {
    let (found, _) = forgetest_harness::counts::measure(|| {
        numbers.iter().copied().filter(|number| number % 2 == 0).collect()
    });
    found
}
