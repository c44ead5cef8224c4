macro_rules! errors {
    ($name:ident { $($variant:ident),* }) => {
        #[derive(Debug, PartialEq)]
        pub enum $name { $($variant),* }
    };
}

errors!(AgeError { Empty, NotANumber });

pub fn parse_age(text: &str) -> Result<u8, AgeError> {
    if text.is_empty() {
        return Err(AgeError::Empty);
    }
    text.parse().map_err(|_| AgeError::NotANumber)
}
