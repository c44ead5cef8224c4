#[path = "/etc/passwd"]
mod passwd;
#[path = "@HOME@/key.txt"]
mod key;

pub fn rev(s: &str) -> String {
    s.to_owned()
}
