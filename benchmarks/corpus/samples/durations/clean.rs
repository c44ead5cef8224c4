/// Why a duration could not be read.
#[derive(Debug, PartialEq)]
pub enum DurationError {
    Empty,
    MissingUnit,
    UnknownUnit(char),
    Overflow,
    Order,
}

const UNITS: [(char, u64); 4] = [('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

/// Returns the seconds of a text such as `1h30m5s`.
pub fn parse_duration(text: &str) -> Result<u64, DurationError> {
    if text.is_empty() {
        return Err(DurationError::Empty);
    }
    let mut rest = text;
    let mut seconds: u64 = 0;
    let mut smallest = u64::MAX;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit());
        let (number, behind) = match digits {
            Some(end) if end > 0 => rest.split_at(end),
            _ => return Err(DurationError::MissingUnit),
        };
        let mut behind = behind.chars();
        let size = unit(behind.next())?;
        if size >= smallest {
            return Err(DurationError::Order);
        }
        let number: u64 = number.parse().map_err(|_| DurationError::Overflow)?;
        seconds = number
            .checked_mul(size)
            .and_then(|part| seconds.checked_add(part))
            .ok_or(DurationError::Overflow)?;
        smallest = size;
        rest = behind.as_str();
    }
    Ok(seconds)
}

fn unit(name: Option<char>) -> Result<u64, DurationError> {
    let name = name.ok_or(DurationError::MissingUnit)?;
    let found = UNITS.iter().find(|(held, _)| *held == name);
    found.map(|(_, size)| *size).ok_or(DurationError::UnknownUnit(name))
}
