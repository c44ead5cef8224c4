#[macro_export]
macro_rules! sq {
    ($x:expr) => {
        $x * $x
    };
    () => {
        0
    };
}
