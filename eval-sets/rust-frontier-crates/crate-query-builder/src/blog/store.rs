//! Sources of rows.

use crate::sql::{Cursor, Error, Source, Value};
use std::cell::RefCell;

/// Gives the same rows for every query, and notes what was asked.
pub struct Canned {
    pub rows: Vec<Vec<Cell>>,
    pub asked: RefCell<Vec<String>>,
}

pub enum Cell {
    None,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
    Flag(bool),
}

impl Cell {
    fn value(&self) -> Value<'_> {
        match self {
            Cell::None => Value::Null,
            Cell::Int(n) => Value::Int(*n),
            Cell::Text(text) => Value::Text(text),
            Cell::Bytes(bytes) => Value::Bytes(bytes),
            Cell::Flag(flag) => Value::Bool(*flag),
        }
    }
}

impl Canned {
    pub fn new(rows: Vec<Vec<Cell>>) -> Self {
        Canned { rows, asked: RefCell::default() }
    }
}

impl Source for Canned {
    fn rows<'s>(&'s self, sql: &str, binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'s>>>, Error> {
        self.asked.borrow_mut().push(format!("{sql} {binds:?}"));
        if self.rows.is_empty() {
            return Err(Error::Source("no rows at all".to_owned()));
        }
        Ok(self.rows.iter().map(|row| row.iter().map(Cell::value).collect()).collect())
    }
}

/// Lends one row at a time from one buffer, in which a row is `id name`.
pub struct Lines<'t> {
    lines: std::str::Lines<'t>,
    buffer: String,
}

impl<'t> Lines<'t> {
    pub fn new(text: &'t str) -> Self {
        Lines { lines: text.lines(), buffer: String::new() }
    }
}

impl Cursor for Lines<'_> {
    fn next(&mut self) -> Result<Option<Vec<Value<'_>>>, Error> {
        let Some(line) = self.lines.next() else { return Ok(None) };
        self.buffer.clear();
        self.buffer.push_str(line);
        let Some((id, name)) = self.buffer.split_once(' ') else {
            return Err(Error::Source(format!("bad line {line}")));
        };
        Ok(Some(vec![id.parse().map_or(Value::Null, Value::Int), Value::Text(name)]))
    }
}
