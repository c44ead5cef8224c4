pub fn rev<S: AsRef<str> + ?Sized>(s: &S) -> String {
    s.as_ref().chars().rev().collect()
}
