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
    let mut number: u16 = 0;
    let mut rest = text.to_string();
    for step in vec![1000, 100, 10, 1] {
        let mut digit = 9;
        while digit >= 1 {
            let written = match to_roman(digit * step) {
                Some(written) => written,
                None => String::from("?"),
            };
            if rest.starts_with(&written) == true {
                number = number + digit * step;
                rest = rest[written.len()..].to_string();
                break;
            }
            digit -= 1;
        }
    }
    if rest.len() > 0 || number == 0 {
        return None;
    }
    return Some(number as u16);
}
