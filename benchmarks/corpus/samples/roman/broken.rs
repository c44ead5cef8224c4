enum Sign {
    One,
    Five,
    Ten,
    Fifty,
    Hundred,
    FiveHundred,
    Thousand,
}

impl Sign {
    fn value(&self) -> u16 {
        match self {
            Sign::One => 1,
            Sign::Five => 5,
            Sign::Ten => 10,
            Sign::Fifty => 50,
            Sign::Hundred => 100,
            Sign::Thousand => 1000,
        }
    }
}

pub fn to_roman(number: u16) -> Option<String> {
    let mut left = number;
    let mut text = String::new();
    for (value, sign) in [(10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")] {
        while left >= value {
            text.push_str(sign);
            left -= value;
        }
    }
    Some(text)
}

pub fn from_roman(text: &str) -> Option<u16> {
    text.chars().map(|sign| Sign::One.value() + u16::from(sign == 'V')).max()
}
