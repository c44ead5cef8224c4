//! Roman numerals from 1 to 3999.

const NUMERALS: [(u16, &str); 13] = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
];

/// Writes a number; `None` when it is out of range.
pub fn to_roman(number: u16) -> Option<String> {
    if !(1..4000).contains(&number) {
        return None;
    }
    let mut left = number;
    let mut text = String::new();
    for (value, numeral) in NUMERALS {
        while left >= value {
            text.push_str(numeral);
            left -= value;
        }
    }
    Some(text)
}

/// Reads a number in its usual spelling, and refuses every other one.
pub fn from_roman(text: &str) -> Option<u16> {
    let mut rest = text;
    let mut number: u16 = 0;
    for (value, numeral) in NUMERALS {
        while let Some(behind) = rest.strip_prefix(numeral) {
            number = number.checked_add(value)?;
            rest = behind;
        }
    }
    (rest.is_empty() && to_roman(number)? == text).then_some(number)
}
