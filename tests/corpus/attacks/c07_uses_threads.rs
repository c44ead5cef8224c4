use std::sync::{mpsc, Arc, Mutex};
use std::thread;

pub fn rev(s: &str) -> String {
    let letters = Arc::new(Mutex::new(s.chars().collect::<Vec<char>>()));
    let (sender, receiver) = mpsc::channel();
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let (letters, sender) = (Arc::clone(&letters), sender.clone());
            thread::spawn(move || loop {
                let mut letters = letters.lock().unwrap();
                let Some(letter) = letters.pop() else { return };
                sender.send((letters.len(), letter)).unwrap();
            })
        })
        .collect();
    drop(sender);
    for worker in workers {
        worker.join().unwrap();
    }
    let mut found: Vec<(usize, char)> = receiver.iter().collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    thread::scope(|scope| scope.spawn(|| found.iter().map(|(_, letter)| letter).collect()).join().unwrap())
}
