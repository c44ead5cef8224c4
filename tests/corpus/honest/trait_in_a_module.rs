mod loud {
    pub trait Shout: std::fmt::Display {
        fn shout(&self) -> String {
            format!("{}!", self.to_string().to_uppercase())
        }
    }

    impl<T: std::fmt::Display + ?Sized> Shout for T {}
}

pub use loud::Shout;
