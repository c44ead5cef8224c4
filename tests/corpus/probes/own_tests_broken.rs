pub fn f() -> i32 {
    1
}

#[cfg(test)]
mod own {
    use super::*;

    #[test]
    fn it_is_one() {
        assert_eq!(f(), missing());
    }
}
