//! Writing HTML.

/// Escapes the characters that have a meaning in text or attributes.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Percent-encodes the characters that a destination must not contain.
pub fn encode(address: &str) -> String {
    let mut output = String::new();
    for (at, c) in address.char_indices() {
        let digits = address.as_bytes().get(at + 1..at + 3);
        let is_escape = digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        if c == '%' && !is_escape || !c.is_ascii_graphic() || "\"\\`[]{}|^<>".contains(c) {
            let mut buffer = [0; 4];
            for byte in c.encode_utf8(&mut buffer).bytes() {
                output.push_str(&format!("%{byte:02X}"));
            }
        } else {
            output.push(c);
        }
    }
    output
}

/// HTML that is being written.
#[derive(Debug, Default)]
pub struct Output {
    pub text: String,
}

impl Output {
    /// Writes a line of its own.
    pub fn line(&mut self, text: &str) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Writes text that may share a line with a tag.
    pub fn inside_line(&mut self, text: &str) {
        self.text.push_str(text);
    }
}
