#![warn(clippy::pedantic)]
pub fn f(x: u64) -> u32 {
    x as u32
}
