fn add(a: i32, b: i32) -> i32 {
    tests::sum(a, b)
}

mod tests {
    pub fn sum(a: i32, b: i32) -> i32 {
        a + b
    }
}
//@ case: add
//@ outcome: passed
