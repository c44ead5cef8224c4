pub type Result<T, E = AgeError> = std::result::Result<T, E>;

#[derive(Debug, PartialEq)]
pub enum AgeError {
    Empty,
    NotANumber,
}

pub fn parse_age(text: &str) -> Result<u8> {
    if text.is_empty() {
        return Err(AgeError::Empty);
    }
    text.parse().map_err(|_| AgeError::NotANumber)
}
