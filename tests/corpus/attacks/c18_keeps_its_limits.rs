pub fn evens(numbers: &[u64]) -> Vec<u64> {
    let mut found = Vec::new();
    found.reserve_exact(numbers.iter().filter(|number| *number % 2 == 0).count());
    for number in numbers {
        if number % 2 == 0 {
            found.push(*number);
        }
    }
    found
}
