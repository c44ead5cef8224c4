pub fn f() -> usize {
    let big = [[0u8; 1 << 62]; 8];
    big.len()
}
