use std::sync::{Arc, Barrier};

pub fn squares(numbers: &[u64]) -> Vec<u64> {
    let gate = Arc::new(Barrier::new(numbers.len()));
    let start = |n: u64| {
        let gate = Arc::clone(&gate);
        std::thread::spawn(move || {
            gate.wait();
            n * n
        })
    };
    let threads: Vec<_> = numbers.iter().copied().map(start).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}
