pub fn encode(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut packed = String::new();
    if characters.len() == 0 {
        return packed;
    }
    let mut last = characters[0].clone();
    let mut length = 0;
    for i in 0..characters.len() {
        if characters[i] == last {
            length = length + 1;
        } else {
            if length > 1 {
                packed.push_str(&format!("{}", length));
            }
            packed.push_str(&last.to_string());
            last = characters[i];
            length = 1;
        }
    }
    if length > 1 {
        packed.push_str(&format!("{}", length));
    }
    packed.push(last);
    return packed;
}

pub fn decode(packed: &str) -> Option<String> {
    let mut text = String::new();
    let mut digits = String::new();
    for character in packed.chars().into_iter() {
        if character.is_ascii_digit() == true {
            digits.push(character);
        } else {
            let times: usize = if digits.is_empty() { 1 } else { digits.parse().unwrap() };
            for _ in 0..times as usize {
                text.push(character);
            }
            digits.clear();
        }
    }
    if !(digits.len() > 0) {
        return Some(text);
    } else {
        return None;
    }
}
