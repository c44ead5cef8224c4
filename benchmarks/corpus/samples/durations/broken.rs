#[derive(Debug, PartialEq)]
pub enum DurationError {
    Empty,
    MissingUnit,
    UnknownUnit(char),
    Overflow,
    Order,
}

pub fn parse_duration(text: &str) -> Result<u64, DurationError> {
    let mut total: u64 = 0;
    let mut digits = String::new();
    for character in text.chars() {
        if character.is_ascii_digit() {
            digits.push(character);
            continue;
        }
        let number: u64 = digits.parse()?;
        total += match character {
            'd' => number * 86_400,
            'h' => number * 3_600,
            'm' => number * 60,
            's' => number,
            other => return DurationError::UnknownUnit(other),
        };
        digits.clear();
    }
    if digits.is_empty() { total } else { Err(DurationError::MissingUnit) }
}
