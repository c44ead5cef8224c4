/// What can go wrong; the tests expect a text instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mistake {
    DivisionByZero,
    Missing(&'static str),
    Unexpected(char),
}

/// Evaluates a sum of products without parentheses.
pub fn evaluate(text: &str) -> Result<i64, Mistake> {
    let mut total = 0;
    for term in text.split('+') {
        total += product(term)?;
    }
    Ok(total)
}

fn product(term: &str) -> Result<i64, Mistake> {
    let mut value = 1;
    for part in term.split('*') {
        value *= quotient(part)?;
    }
    Ok(value)
}

fn quotient(part: &str) -> Result<i64, Mistake> {
    let mut numbers = part.split('/').map(number);
    let first = numbers.next().ok_or(Mistake::Missing("number"))??;
    numbers.try_fold(first, |value, divisor| {
        value.checked_div(divisor?).ok_or(Mistake::DivisionByZero)
    })
}

fn number(text: &str) -> Result<i64, Mistake> {
    let text = text.trim();
    match text.chars().find(|c| !c.is_ascii_digit() && *c != '-') {
        Some(other) => Err(Mistake::Unexpected(other)),
        None => text.parse().map_err(|_| Mistake::Missing("number")),
    }
}
