//! Lines, consumed from left to right by the columns of their white space.

/// A line and how much of it is consumed.
pub struct Line<'a> {
    pub bytes: &'a [u8],
    pub offset: usize,
    pub column: usize,
    /// Whether the tab at the offset is consumed in part.
    pub in_tab: bool,
}

/// Whether there is a byte and it is a space or a tab.
pub fn is_blank(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b' ' | b'\t'))
}

impl<'a> Line<'a> {
    /// The start of a line.
    pub fn new(text: &'a str) -> Line<'a> {
        Line {
            bytes: text.as_bytes(),
            offset: 0,
            column: 0,
            in_tab: false,
        }
    }

    /// What is not consumed.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.offset..]
    }

    /// The indentation, in columns, and the bytes it takes.
    pub fn indent(&self) -> (usize, usize) {
        let mut column = self.column;
        let count = self
            .rest()
            .iter()
            .take_while(|byte| is_blank(Some(byte)))
            .count();
        for byte in &self.rest()[..count] {
            column += if *byte == b'\t' { 4 - column % 4 } else { 1 };
        }
        (column - self.column, count)
    }

    /// What is not consumed, without indentation.
    pub fn content(&self) -> &'a [u8] {
        &self.rest()[self.indent().1..]
    }

    /// Whether nothing but white space is left.
    pub fn is_empty(&self) -> bool {
        self.content().is_empty()
    }

    /// Consumes the indentation.
    pub fn skip_indent(&mut self) {
        let (columns, bytes) = self.indent();
        self.column += columns;
        self.offset += bytes;
        self.in_tab = false;
    }

    /// Consumes so many columns; a tab may be consumed in part.
    pub fn skip_columns(&mut self, mut count: usize) {
        while count > 0 {
            let Some(byte) = self.rest().first() else {
                return;
            };
            let width = if *byte == b'\t' {
                4 - self.column % 4
            } else {
                1
            };
            self.in_tab = width > count;
            let taken = width.min(count);
            self.column += taken;
            self.offset += usize::from(!self.in_tab);
            count -= taken;
        }
    }

    /// What is left, with spaces for the rest of a tab.
    pub fn take(&mut self) -> String {
        let mut text = String::new();
        if self.in_tab {
            self.offset += 1;
            text.push_str(&" ".repeat(4 - self.column % 4));
        }
        text.push_str(&String::from_utf8_lossy(self.rest()));
        text
    }
}
