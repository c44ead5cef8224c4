#[doc(hidden)]
pub fn squared<T: Copy + std::ops::Mul<Output = T>>(value: T) -> T {
    value * value
}

#[macro_export]
macro_rules! square {
    ($value:expr) => {
        $crate::squared($value)
    };
}
