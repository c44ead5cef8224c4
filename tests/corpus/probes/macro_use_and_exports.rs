#[macro_export]
macro_rules! one {
    () => {
        1
    };
}

pub fn f() -> i32 {
    return one!();
}
