pub fn to_roman(number: u16) -> Option<String> {
    if number < 1 || number > 3999 {
        return None;
    }
    let values: Vec<u16> = vec![1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1];
    let signs = vec!["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"];
    let mut text = String::from("");
    let mut left = number;
    for i in 0..values.len() {
        while left >= values[i] {
            text = text + &signs[i].to_string();
            left = left - values[i];
        }
    }
    return Some(text);
}

pub fn from_roman(text: &str) -> Option<u16> {
    let mut number = 1;
    loop {
        if number >= 4000 {
            break;
        }
        let written = match to_roman(number) {
            Some(written) => written,
            None => return None,
        };
        if written == text.to_string() {
            return Some(number as u16);
        }
        number += 1;
    }
    None
}
