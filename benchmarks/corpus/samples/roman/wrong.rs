/// Writes well, and reads whatever looks like a numeral.
pub fn to_roman(number: u16) -> Option<String> {
    if number == 0 || number > 3999 {
        return None;
    }
    let ones = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"];
    let tens = ["", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"];
    let hundreds = ["", "C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM"];
    let digit = |unit: u16| usize::from(number / unit % 10);
    Some(format!(
        "{}{}{}{}",
        "M".repeat(digit(1000)),
        hundreds[digit(100)],
        tens[digit(10)],
        ones[digit(1)]
    ))
}

pub fn from_roman(text: &str) -> Option<u16> {
    let mut total = 0;
    let mut last = 0;
    for sign in text.chars().rev() {
        let value = match sign {
            'I' => 1,
            'V' => 5,
            'X' => 10,
            'L' => 50,
            'C' => 100,
            'D' => 500,
            'M' => 1000,
            _ => return None,
        };
        if value < last {
            total -= value;
        } else {
            total += value;
            last = value;
        }
    }
    Some(total)
}
