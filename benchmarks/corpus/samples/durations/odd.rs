use std::fmt;

#[derive(Debug, PartialEq)]
pub enum DurationError {
    Empty,
    MissingUnit,
    UnknownUnit(char),
    Overflow,
    Order,
}

impl fmt::Display for DurationError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self:?}")
    }
}

pub fn parse_duration(text: &str) -> Result<u64, DurationError> {
    if text.is_empty() {
        return Err(DurationError::Empty);
    }
    let (mut seconds, mut smallest, mut rest) = (0_u64, u64::MAX, text);
    while let Some(end) = rest.find(|c: char| !c.is_ascii_digit()) {
        let (number, behind) = rest.split_at(end);
        let name = behind.chars().next().ok_or(DurationError::MissingUnit)?;
        if number.is_empty() {
            return Err(DurationError::MissingUnit);
        }
        let size = match name {
            'd' => 86_400,
            'h' => 3_600,
            'm' => 60,
            's' => 1,
            other => return Err(DurationError::UnknownUnit(other)),
        };
        if size >= smallest {
            return Err(DurationError::Order);
        }
        let part = number.parse::<u64>().ok().and_then(|one| one.checked_mul(size));
        let sum = part.and_then(|part| seconds.checked_add(part));
        seconds = sum.ok_or(DurationError::Overflow)?;
        (smallest, rest) = (size, &behind[name.len_utf8()..]);
    }
    if rest.is_empty() { Ok(seconds) } else { Err(DurationError::MissingUnit) }
}

/// The sample is a whole program.
fn main() {
    for argument in std::env::args().skip(1) {
        match parse_duration(&argument) {
            Ok(seconds) => println!("{seconds}"),
            Err(error) => eprintln!("{argument}: {error}"),
        }
    }
}
