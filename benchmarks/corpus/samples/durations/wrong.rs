#[derive(Debug, PartialEq)]
pub enum DurationError {
    Empty,
    MissingUnit,
    UnknownUnit(char),
    Overflow,
    Order,
}

/// Takes units in any order, and panics where a number is too large.
pub fn parse_duration(text: &str) -> Result<u64, DurationError> {
    if text.is_empty() {
        return Err(DurationError::Empty);
    }
    let mut total = 0;
    let mut number: Option<u64> = None;
    for character in text.chars() {
        if let Some(digit) = character.to_digit(10) {
            number = Some(number.unwrap_or(0) * 10 + u64::from(digit));
            continue;
        }
        let size = match character {
            'd' => 86_400,
            'h' => 3_600,
            'm' => 60,
            's' => 1,
            _ => return Err(DurationError::UnknownUnit(character)),
        };
        total += number.take().ok_or(DurationError::MissingUnit)? * size;
    }
    match number {
        Some(_) => Err(DurationError::MissingUnit),
        None => Ok(total),
    }
}
