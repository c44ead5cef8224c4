//! The formats of `printf` in C11 (7.21.6.1).

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Argument<'a> {
    /// An integer argument, already widened to 64 bits: what a smaller type does not hold must be cut off.
    Integer(i64),
    Double(f64),
    Text(&'a str),
}

/// What `snprintf(buffer, size, template, …)` writes with a large buffer.
pub fn format(template: &str, arguments: &[Argument]) -> String {
    let mut output = String::new();
    let mut rest = template;
    let mut arguments = arguments.iter().copied();
    while let Some((before, after)) = rest.split_once('%') {
        output.push_str(before);
        let mut scanner = Scanner {
            rest: after,
            arguments: &mut arguments,
        };
        let (spec, conversion) = scanner.conversion();
        rest = scanner.rest;
        if conversion == '%' {
            output.push('%');
        } else if let Some(argument) = arguments.next() {
            output.push_str(&spec.convert(conversion, argument));
        }
    }
    output + rest
}

#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// The size of an integer argument.
    bits: u32,
}

struct Scanner<'a, 'r, I> {
    rest: &'a str,
    arguments: &'r mut I,
}

impl<'b, I: Iterator<Item = Argument<'b>>> Scanner<'_, '_, I> {
    fn eat(&mut self, text: &str) -> bool {
        let tail = self.rest.strip_prefix(text);
        self.rest = tail.unwrap_or(self.rest);
        tail.is_some()
    }

    /// Reads digits, or takes the argument of a `*`.
    fn number(&mut self) -> i64 {
        if self.eat("*") {
            return match self.arguments.next() {
                Some(Argument::Integer(value)) => i64::from(value as i32),
                _ => 0,
            };
        }
        let digits = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let (number, rest) = self.rest.split_at(self.rest.len() - digits.len());
        self.rest = rest;
        number.parse().unwrap_or(0)
    }

    fn conversion(&mut self) -> (Spec, char) {
        let mut spec = Spec::default();
        loop {
            match self.rest.chars().next() {
                Some('-') => spec.left = true,
                Some('+') => spec.plus = true,
                Some(' ') => spec.space = true,
                Some('#') => spec.alternative = true,
                Some('0') => spec.zero = true,
                _ => break,
            }
            self.rest = &self.rest[1..];
        }
        let width = self.number();
        spec.left |= width < 0;
        spec.width = width.unsigned_abs() as usize;
        if self.eat(".") {
            spec.precision = usize::try_from(self.number()).ok();
        }
        spec.bits = 32;
        for (modifier, bits) in [
            ("hh", 8),
            ("h", 16),
            ("ll", 64),
            ("l", 64),
            ("j", 64),
            ("z", 64),
            ("t", 64),
        ] {
            if self.eat(modifier) {
                spec.bits = bits;
                break;
            }
        }
        let conversion = self.rest.chars().next().unwrap_or('%');
        self.rest = self.rest.get(1..).unwrap_or_default();
        (spec, conversion)
    }
}

impl Spec {
    fn convert(&self, conversion: char, argument: Argument) -> String {
        match argument {
            Argument::Text(text) => {
                let length = self.precision.unwrap_or(text.len()).min(text.len());
                self.pad("", &text[..length], false)
            }
            Argument::Integer(value) if conversion == 'c' => {
                self.pad("", &char::from(value as u8).to_string(), false)
            }
            Argument::Integer(value) => self.integer(conversion, value),
            Argument::Double(value) => self.double(conversion, value),
        }
    }

    /// Fills up to the width: with zeros between prefix and digits, or with spaces.
    fn pad(&self, prefix: &str, body: &str, zeros: bool) -> String {
        let missing = self.width.saturating_sub(prefix.len() + body.len());
        if self.left {
            format!("{prefix}{body}{}", " ".repeat(missing))
        } else if zeros {
            format!("{prefix}{}{body}", "0".repeat(missing))
        } else {
            format!("{}{prefix}{body}", " ".repeat(missing))
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (.., true) => " ",
            _ => "",
        }
    }

    fn integer(&self, conversion: char, value: i64) -> String {
        let unused = 64 - self.bits;
        let signed = value << unused >> unused;
        let unsigned = (value << unused) as u64 >> unused;
        let (prefix, mut digits) = match conversion {
            'd' | 'i' => (self.sign(signed < 0), signed.unsigned_abs().to_string()),
            'o' => ("", format!("{unsigned:o}")),
            'x' if self.alternative && unsigned != 0 => ("0x", format!("{unsigned:x}")),
            'X' if self.alternative && unsigned != 0 => ("0X", format!("{unsigned:X}")),
            'x' => ("", format!("{unsigned:x}")),
            'X' => ("", format!("{unsigned:X}")),
            _ => ("", unsigned.to_string()),
        };
        if self.precision == Some(0) && unsigned == 0 {
            digits.clear();
        }
        if let Some(missing) = self
            .precision
            .and_then(|wanted| wanted.checked_sub(digits.len()))
        {
            digits.insert_str(0, &"0".repeat(missing));
        }
        if conversion == 'o' && self.alternative && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        self.pad(prefix, &digits, self.zero && self.precision.is_none())
    }

    fn double(&self, conversion: char, value: f64) -> String {
        let is_upper = conversion.is_ascii_uppercase();
        let sign = self.sign(value.is_sign_negative() && !value.is_nan());
        let magnitude = value.abs();
        let in_case = |text: String| if is_upper { text.to_uppercase() } else { text };
        if !value.is_finite() {
            let name = if value.is_nan() { "nan" } else { "inf" };
            return self.pad(sign, &in_case(name.to_string()), false);
        }
        if matches!(conversion, 'a' | 'A') {
            let prefix = in_case(format!("{sign}0x"));
            return self.pad(&prefix, &in_case(self.hexadecimal(magnitude)), self.zero);
        }
        let precision = self.precision.unwrap_or(6);
        let body = match conversion.to_ascii_lowercase() {
            'e' => self.scientific(magnitude, precision, false),
            'f' => self.fixed(magnitude, precision, false),
            _ => self.general(magnitude, precision.max(1)),
        };
        self.pad(sign, &in_case(body), self.zero)
    }

    /// Writes the number without an exponent; `trimmed` drops zeros at the end.
    fn fixed(&self, value: f64, precision: usize, trimmed: bool) -> String {
        self.finish(format!("{value:.precision$}"), trimmed)
    }

    fn scientific(&self, value: f64, precision: usize, trimmed: bool) -> String {
        let text = format!("{value:.precision$e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let sign = if exponent < 0 { '-' } else { '+' };
        let digits = self.finish(digits.to_string(), trimmed);
        format!("{digits}e{sign}{:02}", exponent.abs())
    }

    fn general(&self, value: f64, precision: usize) -> String {
        let text = format!("{value:.*e}", precision - 1);
        let exponent = text
            .split_once('e')
            .and_then(|(_, exponent)| exponent.parse::<i64>().ok());
        let after_point = precision as i64 - 1 - exponent.unwrap_or(0);
        match usize::try_from(after_point) {
            Ok(digits) if exponent >= Some(-4) => self.fixed(value, digits, !self.alternative),
            _ => self.scientific(value, precision - 1, !self.alternative),
        }
    }

    /// Drops zeros after the point, or adds a point that `#` wants.
    fn finish(&self, digits: String, trimmed: bool) -> String {
        match digits.contains('.') {
            true if trimmed => digits
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_string(),
            false if self.alternative => digits + ".",
            _ => digits,
        }
    }

    fn hexadecimal(&self, value: f64) -> String {
        const FRACTION: u32 = 52;
        let bits = value.to_bits();
        let biased = (bits >> FRACTION) as i32;
        let fraction = bits & ((1 << FRACTION) - 1);
        let exponent = match biased {
            0 if fraction == 0 => 0,
            0 => -1022,
            _ => biased - 1023,
        };
        let whole = fraction | u64::from(biased != 0) << FRACTION;
        let (kept, digits) = match self.precision {
            Some(digits) if digits < 13 => {
                (round_half_even(whole, 4 * (13 - digits as u32)), digits)
            }
            _ => (whole, 13),
        };
        let text = format!("{kept:0width$x}", width = digits + 1);
        let (first, rest) = text.split_at(1);
        let mut rest = rest.to_string();
        match self.precision {
            Some(wanted) => rest.push_str(&"0".repeat(wanted - digits)),
            None => rest.truncate(rest.trim_end_matches('0').len()),
        }
        let point = if rest.is_empty() && !self.alternative {
            ""
        } else {
            "."
        };
        format!("{first}{point}{rest}p{exponent:+}")
    }
}

/// Drops the lowest bits.
fn round_half_even(value: u64, bits: u32) -> u64 {
    let kept = value >> bits;
    let (dropped, half) = (value - (kept << bits), 1 << (bits - 1));
    let up = dropped > half || dropped == half && kept & 1 == 1;
    kept + u64::from(up)
}
