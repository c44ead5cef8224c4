//! Roman numerals, with examples that rustdoc runs.

const STEPS: &[(u16, &str)] = &[
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
];

/// Writes a number from 1 to 3999.
///
/// ```
/// let written = (|number: u16| "X".repeat(usize::from(number / 10)))(30);
/// assert_eq!(written, "XXX");
/// ```
pub fn to_roman(number: u16) -> Option<String> {
    if number == 0 || number >= 4000 {
        return None;
    }
    let mut left = number;
    let mut text = String::with_capacity(15);
    for &(value, sign) in STEPS {
        let times = left / value;
        text.push_str(&sign.repeat(usize::from(times)));
        left -= times * value;
    }
    Some(text)
}

/// Reads a number in its usual spelling.
pub fn from_roman(text: &str) -> Option<u16> {
    let mut rest = text;
    let mut number = 0;
    for &(value, sign) in STEPS {
        while let Some(behind) = rest.strip_prefix(sign) {
            number += u32::from(value);
            rest = behind;
        }
    }
    let number = u16::try_from(number).ok()?;
    (to_roman(number).as_deref() == Some(text)).then_some(number)
}
