pub fn encode(text: &str) -> String {
    let mut packed = String::new();
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let mut length = 1;
        while rest.peek() == Some(character) {
            rest.next();
            length += 1;
        }
        if length > 1 {
            packed += length;
        }
        packed.push(character);
    }
    packed
}

pub fn decode(packed: &str) -> Option<String> {
    let mut text = String::new();
    let mut length = 0;
    for character in packed.chars() {
        if let Some(digit) = character.to_digit(10) {
            length = length * 10 + digit;
        } else {
            text.push_str(character.repeat(length.max(1)));
            length = 0;
        }
    }
    if length > 0 { None } else { Some(text) }
}
