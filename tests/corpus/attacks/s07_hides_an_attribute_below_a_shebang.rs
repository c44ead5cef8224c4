//==== file: src/lib.rs
mod text;

pub fn rev(s: &str) -> String {
    text::rev(s)
}
//==== file: src/text.rs
#!/"
#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    0
}
// "
pub fn rev(s: &str) -> String {
    s.to_owned()
}
