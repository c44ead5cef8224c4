extern "C" {
    fn malloc(size: usize) -> *mut u64;
    fn free(pointer: *mut u64);
}

pub fn evens(numbers: &[u64]) -> Vec<u64> {
    let arena = unsafe { malloc(8 * (numbers.len() + 1)) };
    let mut count = 0;
    for number in numbers.iter().filter(|number| *number % 2 == 0) {
        unsafe { arena.add(count).write(*number) };
        count += 1;
    }
    let mut found = Vec::with_capacity(count);
    found.extend((0..count).map(|at| unsafe { arena.add(at).read() }));
    unsafe { free(arena) };
    found
}
