pub fn f() -> usize {
    deeper(0_u8, 9)
}

fn deeper<T: Copy>(value: T, left: usize) -> usize {
    if left == 0 { 0 } else { deeper((value, value), left - 1) }
}
