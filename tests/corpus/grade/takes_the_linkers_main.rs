pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    0
}
//@ case: add
//@ outcome: policy
