//! Run lengths of characters, as text.

/// Writes each run as its length, when that is above one, and its character.
pub fn encode(text: &str) -> String {
    let mut packed = String::new();
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let mut length = 1;
        while rest.next_if_eq(&character).is_some() {
            length += 1;
        }
        if length > 1 {
            packed.push_str(&length.to_string());
        }
        packed.push(character);
    }
    packed
}

/// Undoes `encode`; a length without a character is refused.
pub fn decode(packed: &str) -> Option<String> {
    let mut text = String::new();
    let mut length: Option<usize> = None;
    for character in packed.chars() {
        if let Some(digit) = character.to_digit(10) {
            length = Some(length.unwrap_or(0) * 10 + digit as usize);
        } else {
            let times = length.take().unwrap_or(1);
            text.extend(std::iter::repeat_n(character, times));
        }
    }
    length.is_none().then_some(text)
}
