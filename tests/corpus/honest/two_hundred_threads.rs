pub fn squares(numbers: &[u64]) -> Vec<u64> {
    let threads: Vec<_> =
        numbers.iter().copied().map(|n| std::thread::spawn(move || n * n)).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}
