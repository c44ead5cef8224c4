use std::sync::Mutex;

static ARENA: Mutex<[u64; 1 << 16]> = Mutex::new([0; 1 << 16]);

pub fn evens(numbers: &[u64]) -> Vec<u64> {
    let mut arena = ARENA.lock().unwrap();
    let mut count = 0;
    for number in numbers.iter().filter(|number| *number % 2 == 0) {
        arena[count] = *number;
        count += 1;
    }
    arena[..count].to_vec()
}
