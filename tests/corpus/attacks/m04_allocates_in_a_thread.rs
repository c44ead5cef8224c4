pub fn evens(numbers: &[u64]) -> Vec<u64> {
    let numbers = numbers.to_vec();
    let worker = std::thread::spawn(move || {
        numbers.iter().copied().filter(|number| number % 2 == 0).collect()
    });
    worker.join().unwrap()
}
