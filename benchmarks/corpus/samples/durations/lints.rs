#[derive(Debug, PartialEq)]
pub enum DurationError {
    Empty,
    MissingUnit,
    UnknownUnit(char),
    Overflow,
    Order,
}

pub fn parse_duration(text: &str) -> Result<u64, DurationError> {
    if text.len() == 0 {
        return Err(DurationError::Empty);
    }
    let mut total: u64 = 0;
    let mut digits = String::new();
    let mut last: u64 = 999999;
    for c in text.chars() {
        if c >= '0' && c <= '9' {
            digits = digits + &c.to_string();
            continue;
        }
        if digits.len() == 0 {
            return Err(DurationError::MissingUnit);
        }
        let size: u64 = match c {
            'd' => 24 * 60 * 60 * 1,
            'h' => 60 * 60,
            'm' => 60,
            's' => 1,
            other => return Err(DurationError::UnknownUnit(other)),
        };
        if !(size < last) {
            return Err(DurationError::Order);
        }
        last = size;
        let number = match digits.parse::<u64>() {
            Ok(number) => number,
            Err(_) => return Err(DurationError::Overflow),
        };
        let part = match number.checked_mul(size) {
            Some(part) => part,
            None => return Err(DurationError::Overflow),
        };
        total = total.checked_add(part).ok_or_else(|| DurationError::Overflow)?;
        digits = String::from("");
    }
    if digits.len() != 0 {
        return Err(DurationError::MissingUnit);
    }
    return Ok(total);
}
