/// Goes from left to right, whatever binds closer, and knows no parentheses.
pub fn evaluate(text: &str) -> Result<i64, String> {
    let mut value: Option<i64> = None;
    let mut operator = '+';
    for word in text.split_whitespace() {
        if let "+" | "-" | "*" | "/" = word {
            operator = word.chars().next().unwrap_or('+');
            continue;
        }
        let number: i64 = word.parse().map_err(|_| format!("{word} is no number"))?;
        let held = value.unwrap_or(0);
        value = Some(match operator {
            '+' => held + number,
            '-' => held - number,
            '*' => held * number,
            _ if number == 0 => return Err("division by zero".to_string()),
            _ => held / number,
        });
    }
    value.ok_or_else(|| "nothing to evaluate".to_string())
}
