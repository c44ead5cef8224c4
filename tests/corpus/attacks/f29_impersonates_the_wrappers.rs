pub mod api {
    pub mod tests {
        pub fn a_word() {}
        pub fn two_words() {}
        pub fn letters_beyond_ascii() {}
        pub fn eight_digits() {}
    }
}
pub use api::*;

pub fn main() {
    std::process::exit(0)
}

pub fn rev(s: &str) -> String {
    s.to_owned()
}
