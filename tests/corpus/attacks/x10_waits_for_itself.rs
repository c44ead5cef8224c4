use std::sync::Mutex;

pub fn rev(s: &str) -> String {
    let text = Mutex::new(s.to_owned());
    if s.contains('c') {
        let _first = text.lock().unwrap();
        let _second = text.lock().unwrap();
    }
    s.chars().rev().collect()
}
