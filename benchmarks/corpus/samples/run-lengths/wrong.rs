/// Counts runs, but forgets the last one when it is longer than nine.
pub fn encode(text: &str) -> String {
    let mut packed = String::new();
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let mut length = 1;
        while length < 9 && rest.next_if_eq(&character).is_some() {
            length += 1;
        }
        if length > 1 {
            packed.push_str(&length.to_string());
        }
        packed.push(character);
    }
    packed
}

pub fn decode(packed: &str) -> Option<String> {
    let mut text = String::new();
    let mut length = 1;
    for character in packed.chars() {
        match character.to_digit(10) {
            Some(digit) => length = digit as usize,
            None => {
                text.push_str(&character.to_string().repeat(length));
                length = 1;
            }
        }
    }
    Some(text)
}
