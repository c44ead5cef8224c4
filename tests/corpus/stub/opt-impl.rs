pub fn f(n: i32) -> Option<impl Iterator<Item = i32>> {
    if n < 0 {
        None
    } else {
        Some(0..n)
    }
}
