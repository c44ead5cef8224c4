#![recursion_limit = "4096"]

macro_rules! bomb {
    ($($token:tt)*) => { bomb!($($token)* $($token)* x) };
}

pub fn rev(s: &str) -> String {
    bomb!(x x x x);
    s.to_owned()
}
