//! Decimal numbers of any length, each with a scale, and the operations of bc on them.

use std::cmp::Ordering;

/// A decimal number: its digits, the lowest first, so many of them after the point.
#[derive(Debug, Clone, Default)]
pub struct Number {
    negative: bool,
    digits: Vec<u8>,
    scale: usize,
}

impl Number {
    /// Reads decimal digits with at most one point, which need not have digits on both sides.
    pub fn parse(text: &str) -> Number {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = whole.bytes().chain(fraction.bytes()).rev();
        Number::new(
            false,
            digits.map(|digit| digit - b'0').collect(),
            fraction.len(),
        )
    }

    fn new(negative: bool, mut digits: Vec<u8>, scale: usize) -> Number {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        let negative = negative && !digits.is_empty();
        Number {
            negative,
            digits,
            scale,
        }
    }

    /// A whole number, with scale 0.
    pub fn whole(value: usize) -> Number {
        Number::parse(&value.to_string())
    }

    /// The number of digits after the point.
    pub fn scale(&self) -> usize {
        self.scale
    }

    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Compares two values, whatever their scales.
    pub fn order(&self, other: &Number) -> Ordering {
        let difference = self.add(&other.clone().negated());
        match (difference.is_zero(), difference.negative) {
            (true, _) => Ordering::Equal,
            (_, true) => Ordering::Less,
            (_, false) => Ordering::Greater,
        }
    }

    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// The number with the other sign; zero stays zero.
    pub fn negated(self) -> Number {
        Number::new(!self.negative, self.digits, self.scale)
    }

    /// The same value with more digits after the point, or truncated to fewer.
    pub fn with_scale(&self, scale: usize) -> Number {
        let mut digits = self.digits.clone();
        digits.splice(0..0, vec![0; scale.saturating_sub(self.scale)]);
        digits.drain(..self.scale.saturating_sub(scale).min(digits.len()));
        Number::new(self.negative, digits, scale)
    }

    /// The sum, with the larger of the two scales.
    pub fn add(&self, other: &Number) -> Number {
        let scale = self.scale.max(other.scale);
        let (left, right) = (self.with_scale(scale), other.with_scale(scale));
        if left.negative == right.negative {
            return Number::new(left.negative, sum(&left.digits, &right.digits), scale);
        }
        match compare(&left.digits, &right.digits) {
            Ordering::Less => Number::new(
                right.negative,
                difference(&right.digits, &left.digits),
                scale,
            ),
            _ => Number::new(
                left.negative,
                difference(&left.digits, &right.digits),
                scale,
            ),
        }
    }

    fn exact_product(&self, other: &Number) -> Number {
        let negative = self.negative != other.negative;
        Number::new(
            negative,
            product(&self.digits, &other.digits),
            self.scale + other.scale,
        )
    }

    /// The product, as `*` gives it while `scale` has this value.
    pub fn multiply(&self, other: &Number, scale: usize) -> Number {
        let longest = scale.max(self.scale).max(other.scale);
        let exact = self.exact_product(other);
        let scale = exact.scale.min(longest);
        exact.with_scale(scale)
    }

    /// The quotient truncated to a scale; nothing for a division by zero.
    pub fn divide(&self, other: &Number, scale: usize) -> Option<Number> {
        if other.is_zero() {
            return None;
        }
        let dividend = self.with_scale(self.scale.max(scale + other.scale));
        let quotient = quotient(&dividend.digits, &other.digits);
        let negative = self.negative != other.negative;
        let exact = Number::new(negative, quotient, dividend.scale - other.scale);
        Some(exact.with_scale(scale))
    }

    /// What `%` gives while `scale` has this value; nothing for a division by zero.
    pub fn remainder(&self, other: &Number, scale: usize) -> Option<Number> {
        let quotient = self.divide(other, scale)?;
        let longest = self.scale.max(scale + other.scale);
        let rest = self.add(&quotient.exact_product(other).negated());
        Some(rest.with_scale(longest))
    }

    /// The power with the exponent truncated to an integer, as `^` gives it while `scale` has this value; nothing for a negative power
    /// of zero.
    pub fn power(&self, exponent: &Number, scale: usize) -> Option<Number> {
        let whole = exponent.with_scale(0);
        let count = whole.magnitude();
        let mut result = Number::parse("1");
        for _ in 0..count {
            result = result.exact_product(self);
        }
        if whole.negative {
            return Number::parse("1").divide(&result, scale);
        }
        let longest = scale.max(self.scale);
        Some(result.with_scale((self.scale * count).min(longest)))
    }

    /// What `sqrt` gives while `scale` has this value; nothing for a negative number.
    pub fn root(&self, scale: usize) -> Option<Number> {
        if self.negative {
            return None;
        }
        let scale = scale.max(self.scale);
        let square = self.with_scale(2 * scale);
        let mut root: Vec<u8> = Vec::new();
        // One digit after the other, the highest first: the largest whose square still fits.
        for place in (0..square.digits.len().div_ceil(2)).rev() {
            let mut best = root.clone();
            for digit in 1..10 {
                let mut candidate = vec![0; place];
                candidate.push(digit);
                let candidate = sum(&root, &candidate);
                if compare(&product(&candidate, &candidate), &square.digits) == Ordering::Greater {
                    break;
                }
                best = candidate;
            }
            root = best;
        }
        Some(Number::new(false, root, scale))
    }

    /// What `length` gives: the number of significant digits.
    pub fn length(&self) -> usize {
        self.digits.len().max(self.scale).max(1)
    }

    /// The magnitude without its fraction, which has to fit.
    pub fn magnitude(&self) -> usize {
        let whole = self.with_scale(0);
        whole
            .digits
            .iter()
            .rev()
            .fold(0, |value, digit| value * 10 + usize::from(*digit))
    }
}

/// Writes the number in base 10 without breaking the line: no zero before the point, and `0` for zero.
impl std::fmt::Display for Number {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        if self.is_zero() {
            return formatter.write_str("0");
        }
        let mut text: Vec<u8> = self.digits.iter().map(|digit| digit + b'0').collect();
        text.resize(text.len().max(self.scale), b'0');
        if self.scale > 0 {
            text.insert(self.scale, b'.');
        }
        let digits: String = text.into_iter().rev().map(char::from).collect();
        let sign = if self.negative { "-" } else { "" };
        write!(formatter, "{sign}{digits}")
    }
}

fn trimmed(mut digits: Vec<u8>) -> Vec<u8> {
    while digits.last() == Some(&0) {
        digits.pop();
    }
    digits
}

/// Compares magnitudes without leading zeros.
fn compare(left: &[u8], right: &[u8]) -> Ordering {
    let by_length = left.len().cmp(&right.len());
    by_length.then_with(|| left.iter().rev().cmp(right.iter().rev()))
}

fn sum(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut carry = 0;
    let mut digits = Vec::new();
    for place in 0..=left.len().max(right.len()) {
        let digit = |digits: &[u8]| digits.get(place).copied().unwrap_or(0);
        carry += digit(left) + digit(right);
        digits.push(carry % 10);
        carry /= 10;
    }
    trimmed(digits)
}

/// Subtracts the smaller magnitude from the larger.
fn difference(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut borrow = 0;
    let digits = left.iter().enumerate().map(|(place, digit)| {
        let less = right.get(place).copied().unwrap_or(0) + borrow;
        borrow = u8::from(*digit < less);
        digit + 10 * borrow - less
    });
    trimmed(digits.collect())
}

fn product(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut places = vec![0u32; left.len() + right.len() + 1];
    for (at, digit) in left.iter().enumerate() {
        for (place, other) in right.iter().enumerate() {
            places[at + place] += u32::from(*digit) * u32::from(*other);
        }
    }
    let mut carry = 0;
    let digits = places.into_iter().map(|place| {
        carry += place;
        let digit = (carry % 10) as u8;
        carry /= 10;
        digit
    });
    trimmed(digits.collect())
}

fn quotient(dividend: &[u8], divisor: &[u8]) -> Vec<u8> {
    let mut rest: Vec<u8> = Vec::new();
    let mut digits: Vec<u8> = Vec::new();
    for digit in dividend.iter().rev() {
        rest.insert(0, *digit);
        rest = trimmed(rest);
        let mut count = 0;
        while compare(&rest, divisor) != Ordering::Less {
            rest = difference(&rest, divisor);
            count += 1;
        }
        digits.push(count);
    }
    digits.reverse();
    trimmed(digits)
}
