use std::alloc::{GlobalAlloc, Layout, System};

pub fn evens(numbers: &[u64]) -> Vec<u64> {
    let layout = Layout::array::<u64>(numbers.len() + 1).unwrap();
    let arena = unsafe { System.alloc(layout) }.cast::<u64>();
    let mut count = 0;
    for number in numbers.iter().filter(|number| *number % 2 == 0) {
        unsafe { arena.add(count).write(*number) };
        count += 1;
    }
    let mut found = Vec::with_capacity(count);
    found.extend((0..count).map(|at| unsafe { arena.add(at).read() }));
    unsafe { System.dealloc(arena.cast(), layout) };
    found
}
