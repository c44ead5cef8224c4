pub fn f() -> u8 {
    1
}
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn t() {
        assert_eq!(f(), 1);
    }
}
