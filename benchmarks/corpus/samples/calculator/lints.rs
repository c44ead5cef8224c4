pub fn evaluate(text: &str) -> Result<i64, String> {
    let tokens: Vec<char> = text.chars().collect::<Vec<char>>();
    let mut at: usize = 0;
    let value = sum(&tokens, &mut at)?;
    skip(&tokens, &mut at);
    if at < tokens.len() {
        return Err(format!("unexpected {}", tokens[at]));
    }
    return Ok(value);
}

fn skip(tokens: &Vec<char>, at: &mut usize) {
    while *at < tokens.len() && tokens[*at] == ' ' {
        *at = *at + 1;
    }
}

fn sum(tokens: &Vec<char>, at: &mut usize) -> Result<i64, String> {
    let mut value = product(tokens, at)?;
    loop {
        skip(tokens, at);
        if *at >= tokens.len() || (tokens[*at] != '+' && tokens[*at] != '-') {
            return Ok(value);
        }
        let plus = if tokens[*at] == '+' { true } else { false };
        *at = *at + 1;
        let other = product(tokens, at)?;
        value = if plus == true { value + other } else { value - other };
    }
}

fn product(tokens: &Vec<char>, at: &mut usize) -> Result<i64, String> {
    let mut value = factor(tokens, at)?;
    loop {
        skip(tokens, at);
        if *at >= tokens.len() || (tokens[*at] != '*' && tokens[*at] != '/') {
            return Ok(value);
        }
        let times = tokens[*at] == '*';
        *at = *at + 1;
        let other = factor(tokens, at)?;
        if times {
            value = value * other;
        } else {
            if other == 0 {
                return Err("division by zero".to_string());
            }
            value = value / other;
        }
    }
}

fn factor(tokens: &Vec<char>, at: &mut usize) -> Result<i64, String> {
    skip(tokens, at);
    if *at >= tokens.len() {
        return Err(String::from("the end came too early"));
    }
    if tokens[*at] == '-' {
        *at = *at + 1;
        return Ok(0 - factor(tokens, at)?);
    }
    if tokens[*at] == '(' {
        *at = *at + 1;
        let value = sum(tokens, at)?;
        skip(tokens, at);
        if *at >= tokens.len() || tokens[*at] != ')' {
            return Err(String::from("missing )"));
        }
        *at = *at + 1;
        return Ok(value);
    }
    let mut digits = String::new();
    while *at < tokens.len() && tokens[*at].is_digit(10) {
        digits.push(tokens[*at].clone());
        *at = *at + 1;
    }
    match digits.parse::<i64>() {
        Ok(value) => Ok(value),
        Err(_) => Err(String::from("a number is missing")),
    }
}
