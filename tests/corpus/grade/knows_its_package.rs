pub fn add(a: i32, b: i32) -> i32 {
    a + b + env!("CARGO_PKG_VERSION").len() as i32 - 5
}
//@ case: add
//@ outcome: passed
//@ integrity: env
