trait Operation {
    fn apply(&self, left: i64, right: i64) -> Result<i64, String>;
}

struct Add;
struct Divide;

impl Operation for Add {
    fn apply(&self, left: i64, right: i64) -> Result<i64, String> {
        Ok(left + right)
    }
}

impl Operation for Divide {
    fn apply(&self, left: i64, right: i64) -> i64 {
        left / right
    }
}

fn operation(sign: char) -> Option<Box<dyn Operation>> {
    match sign {
        '+' => Some(Box::new(Add)),
        '-' => Some(Box::new(Subtract)),
        '/' => Some(Box::new(Divide)),
        _ => None,
    }
}

pub fn evaluate(text: &str) -> Result<i64, String> {
    let mut value = 0;
    for part in text.split(' ') {
        value = operation(part.chars().next().unwrap_or('+'))
            .ok_or("no such operation")?
            .apply(value, part.len() as i64)?;
    }
    Ok(value)
}
