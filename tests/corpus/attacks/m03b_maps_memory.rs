unsafe extern {
    fn mmap(at: *mut u64, size: usize, rights: i32, how: i32, file: i32, from: i64) -> *mut u64;
}

pub fn evens(numbers: &[u64]) -> Vec<u64> {
    let arena = unsafe { mmap(std::ptr::null_mut(), 1 << 20, 3, 0x22, -1, 0) };
    let mut count = 0;
    for number in numbers.iter().filter(|number| *number % 2 == 0) {
        unsafe { arena.add(count).write(*number) };
        count += 1;
    }
    let mut found = Vec::with_capacity(count);
    found.extend((0..count).map(|at| unsafe { arena.add(at).read() }));
    found
}
