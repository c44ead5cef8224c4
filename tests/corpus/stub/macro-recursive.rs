#[macro_export]
macro_rules! count { () => { 0usize }; ($h:tt $($t:tt)*) => { 1usize + $crate::count!($($t)*) }; }
