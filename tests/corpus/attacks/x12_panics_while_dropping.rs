struct Twice;

impl Drop for Twice {
    fn drop(&mut self) {
        panic!("once more")
    }
}

pub fn rev(s: &str) -> String {
    let _twice = Twice;
    panic!("first {s}")
}
