mod helper;

pub fn rev(s: &str) -> String {
    helper::rev(s)
}
