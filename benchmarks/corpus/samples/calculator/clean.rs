use std::iter::Peekable;
use std::str::Chars;

/// Returns the value of an expression of integers.
pub fn evaluate(text: &str) -> Result<i64, String> {
    let mut reader = Reader { rest: text.chars().peekable() };
    let value = reader.sum()?;
    match reader.peek() {
        None => Ok(value),
        Some(other) => Err(format!("unexpected {other}")),
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        while self.rest.next_if(|c| c.is_whitespace()).is_some() {}
        self.rest.peek().copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        self.peek() == Some(wanted) && self.rest.next().is_some()
    }

    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        loop {
            if self.take('+') {
                value += self.product()?;
            } else if self.take('-') {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.factor()?;
        loop {
            if self.take('*') {
                value *= self.factor()?;
            } else if self.take('/') {
                let divisor = self.factor()?;
                value = value.checked_div(divisor).ok_or("division by zero")?;
            } else {
                return Ok(value);
            }
        }
    }

    fn factor(&mut self) -> Result<i64, String> {
        if self.take('-') {
            return Ok(-self.factor()?);
        }
        if self.take('(') {
            let value = self.sum()?;
            return if self.take(')') { Ok(value) } else { Err("missing )".into()) };
        }
        self.peek();
        let mut digits = String::new();
        while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        digits.parse().map_err(|_| "a number is missing".to_string())
    }
}
