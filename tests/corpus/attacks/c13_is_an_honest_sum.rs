/// Adds, and says what went wrong.
pub fn add(a: i32, b: i32) -> i32 {
    match a.checked_add(b) {
        Some(sum) => sum,
        None => panic!("overflow of {a} and {b}"),
    }
}
