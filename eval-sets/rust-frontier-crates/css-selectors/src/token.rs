//! The tokenizer of CSS Syntax Module Level 3.

/// A token. Comments leave no token.
#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Ident(String),
    Function(String),
    AtKeyword(String),
    Hash {
        value: String,
        /// Whether the value is an identifier.
        is_id: bool,
    },
    String(String),
    BadString,
    Url(String),
    BadUrl,
    Delim(char),
    Number {
        value: f64,
        is_integer: bool,
        /// Whether the text starts with `+` or `-`.
        has_sign: bool,
    },
    Percentage(f64),
    Dimension {
        value: f64,
        is_integer: bool,
        /// Whether the text starts with `+` or `-`.
        has_sign: bool,
        unit: String,
    },
    Whitespace,
    Cdo,
    Cdc,
    Colon,
    Semicolon,
    Comma,
    OpenSquare,
    CloseSquare,
    OpenParen,
    CloseParen,
    OpenCurly,
    CloseCurly,
}

/// The tokens of a text, without one for its end.
pub fn tokenize(input: &str) -> Vec<Token> {
    let text = input
        .replace("\r\n", "\n")
        .replace(['\r', '\x0c'], "\n")
        .replace('\0', "\u{fffd}");
    let mut tokenizer = Tokenizer {
        text: text.chars().collect(),
        at: 0,
    };
    let mut tokens = Vec::new();
    while let Some(token) = tokenizer.token() {
        tokens.push(token);
    }
    tokens
}

struct Tokenizer {
    text: Vec<char>,
    at: usize,
}

fn is_white(c: Option<char>) -> bool {
    matches!(c, Some('\n' | '\t' | ' '))
}

fn is_name_start(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii())
}

fn is_name(c: Option<char>) -> bool {
    is_name_start(c) || c == Some('-') || is_digit(c)
}

fn is_digit(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_digit())
}

fn is_unprintable(c: char) -> bool {
    matches!(c, '\0'..='\x08' | '\x0b' | '\x0e'..='\x1f' | '\x7f')
}

fn single(c: char) -> Token {
    match c {
        ':' => Token::Colon,
        ';' => Token::Semicolon,
        ',' => Token::Comma,
        '[' => Token::OpenSquare,
        ']' => Token::CloseSquare,
        '(' => Token::OpenParen,
        ')' => Token::CloseParen,
        '{' => Token::OpenCurly,
        '}' => Token::CloseCurly,
        other => Token::Delim(other),
    }
}

impl Tokenizer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek(0);
        self.at += usize::from(c.is_some());
        c
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = text
            .chars()
            .enumerate()
            .all(|(ahead, c)| self.peek(ahead) == Some(c));
        if found {
            self.at += text.chars().count();
        }
        found
    }

    fn skip_white(&mut self) {
        while is_white(self.peek(0)) {
            self.at += 1;
        }
    }

    fn is_escape(&self, ahead: usize) -> bool {
        self.peek(ahead) == Some('\\') && self.peek(ahead + 1) != Some('\n')
    }

    fn starts_ident(&self) -> bool {
        match self.peek(0) {
            Some('-') => {
                is_name_start(self.peek(1)) || self.peek(1) == Some('-') || self.is_escape(1)
            }
            Some('\\') => self.is_escape(0),
            first => is_name_start(first),
        }
    }

    fn starts_number(&self) -> bool {
        let sign = usize::from(matches!(self.peek(0), Some('+' | '-')));
        let point = usize::from(self.peek(sign) == Some('.'));
        is_digit(self.peek(sign + point))
    }

    fn skip_comments(&mut self) {
        while self.eat("/*") {
            while self.peek(0).is_some() && !self.eat("*/") {
                self.at += 1;
            }
        }
    }

    fn token(&mut self) -> Option<Token> {
        self.skip_comments();
        let first = self.peek(0)?;
        if is_white(Some(first)) {
            self.skip_white();
            return Some(Token::Whitespace);
        }
        if self.starts_number() {
            return Some(self.numeric());
        }
        if self.eat("-->") {
            return Some(Token::Cdc);
        }
        if self.eat("<!--") {
            return Some(Token::Cdo);
        }
        if self.starts_ident() {
            return Some(self.ident_like());
        }
        self.at += 1;
        Some(match first {
            '"' | '\'' => self.string(first),
            '#' if is_name(self.peek(0)) || self.is_escape(0) => Token::Hash {
                is_id: self.starts_ident(),
                value: self.name(),
            },
            '@' if self.starts_ident() => Token::AtKeyword(self.name()),
            other => single(other),
        })
    }

    fn string(&mut self, quote: char) -> Token {
        let mut value = String::new();
        loop {
            match self.peek(0) {
                None => return Token::String(value),
                Some('\n') => return Token::BadString,
                Some('\\') if self.peek(1).is_none() => self.at += 1,
                Some('\\') if self.peek(1) == Some('\n') => self.at += 2,
                Some('\\') => value.push(self.escaped()),
                Some(c) => {
                    self.at += 1;
                    if c == quote {
                        return Token::String(value);
                    }
                    value.push(c);
                }
            }
        }
    }

    /// Reads an escape with its backslash.
    fn escaped(&mut self) -> char {
        self.at += 1;
        let mut code = 0;
        let mut digits = 0;
        while let Some(digit) = self
            .peek(0)
            .and_then(|c| c.to_digit(16))
            .filter(|_| digits < 6)
        {
            code = code * 16 + digit;
            digits += 1;
            self.at += 1;
        }
        if digits == 0 {
            return self.next().unwrap_or('\u{fffd}');
        }
        if is_white(self.peek(0)) {
            self.at += 1;
        }
        char::from_u32(code)
            .filter(|c| *c != '\0')
            .unwrap_or('\u{fffd}')
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        loop {
            if self.is_escape(0) {
                name.push(self.escaped());
            } else if is_name(self.peek(0)) {
                name.extend(self.next());
            } else {
                return name;
            }
        }
    }

    fn digits(&mut self, text: &mut String) {
        while is_digit(self.peek(0)) {
            text.extend(self.next());
        }
    }

    fn numeric(&mut self) -> Token {
        let mut text = String::new();
        let mut is_integer = true;
        if matches!(self.peek(0), Some('+' | '-')) {
            text.extend(self.next());
        }
        self.digits(&mut text);
        if self.peek(0) == Some('.') && is_digit(self.peek(1)) {
            is_integer = false;
            text.extend(self.next());
            self.digits(&mut text);
        }
        let sign = usize::from(matches!(self.peek(1), Some('+' | '-')));
        if matches!(self.peek(0), Some('e' | 'E')) && is_digit(self.peek(1 + sign)) {
            is_integer = false;
            text.extend(self.next());
            if sign == 1 {
                text.extend(self.next());
            }
            self.digits(&mut text);
        }
        let has_sign = text.starts_with(['+', '-']);
        let value = text.trim_start_matches('+').parse().unwrap_or_default();
        if self.starts_ident() {
            let unit = self.name();
            return Token::Dimension {
                value,
                is_integer,
                has_sign,
                unit,
            };
        }
        if self.eat("%") {
            return Token::Percentage(value);
        }
        Token::Number {
            value,
            is_integer,
            has_sign,
        }
    }

    fn ident_like(&mut self) -> Token {
        let name = self.name();
        if !self.eat("(") {
            return Token::Ident(name);
        }
        if !name.eq_ignore_ascii_case("url") {
            return Token::Function(name);
        }
        while is_white(self.peek(0)) && is_white(self.peek(1)) {
            self.at += 1;
        }
        let after = usize::from(is_white(self.peek(0)));
        if matches!(self.peek(after), Some('"' | '\'')) {
            return Token::Function(name);
        }
        self.url()
    }

    fn url(&mut self) -> Token {
        let mut value = String::new();
        self.skip_white();
        loop {
            if self.is_escape(0) {
                value.push(self.escaped());
                continue;
            }
            match self.next() {
                None | Some(')') => return Token::Url(value),
                white if is_white(white) => {
                    self.skip_white();
                    if self.eat(")") || self.peek(0).is_none() {
                        return Token::Url(value);
                    }
                    return self.bad_url();
                }
                Some('"' | '\'' | '(' | '\\') => return self.bad_url(),
                Some(c) if is_unprintable(c) => return self.bad_url(),
                Some(c) => value.push(c),
            }
        }
    }

    fn bad_url(&mut self) -> Token {
        while self.peek(0).is_some() && !self.eat(")") {
            if self.is_escape(0) {
                self.escaped();
            } else {
                self.at += 1;
            }
        }
        Token::BadUrl
    }
}
