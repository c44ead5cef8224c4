mod inner {
    pub enum Option {
        Nothing,
        Text(std::string::String),
    }

    pub fn given(text: &str) -> Option {
        if text.is_empty() {
            Option::Nothing
        } else {
            Option::Text(text.to_owned())
        }
    }
}

#[derive(Debug, PartialEq)]
pub enum AgeError {
    Empty,
    NotANumber,
}

pub fn parse_age(text: &str) -> Result<u8, AgeError> {
    match inner::given(text) {
        inner::Option::Nothing => Err(AgeError::Empty),
        inner::Option::Text(text) => text.parse().map_err(|_| AgeError::NotANumber),
    }
}
