pub mod a {
    pub fn f() -> u8 {
        fn inner() -> u8 {
            1
        }
        inner()
    }
    pub mod b {
        impl super::S {
            pub fn x(&self) -> &str {
                &self.0
            }
        }
    }
    pub struct S(String);
}
