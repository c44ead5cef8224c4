pub const N: u32 = {
    let mut n = 0;
    while n < 3_000_000 {
        n += 1;
    }
    n
};
