macro_rules! given {
    ($x:expr) => {
        pub fn f() -> i32 {
            return $x;
        }
    };
}
given!(1);
