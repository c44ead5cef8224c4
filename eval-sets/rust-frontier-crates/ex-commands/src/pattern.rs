//! The patterns of Vim, and the replacements of its `:s`. Texts are ASCII.

#[derive(Clone, Debug)]
enum Class {
    Char(u8),
    Range(u8, u8),
    Named(Test),
    /// `\l`, `\U` and their like, which never ignore case.
    Exact(Test),
}

#[derive(Clone, Debug)]
enum Node {
    Char(u8),
    Any,
    Set(bool, Vec<Class>),
    LineStart,
    LineEnd,
    WordStart,
    WordEnd,
    MatchStart,
    MatchEnd,
    Back(usize),
    Group(Option<usize>, Box<Node>),
    Branches(Vec<Node>),
    /// All but the last match at the same place.
    Both(Vec<Node>),
    Sequence(Vec<Node>),
    Repeat(Box<Node>, usize, usize, bool),
    Optional(Vec<Node>),
    Atomic(Box<Node>),
    Ahead(bool, Box<Node>),
    Behind(bool, Box<Node>),
}

#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Magic {
    VeryNo,
    No,
    Yes,
    Very,
}

/// A character of the pattern and whether it has its special meaning.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Token {
    Plain(u8),
    Special(u8),
}

type Test = fn(u8) -> bool;

use Token::{Plain, Special};

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    magic: Magic,
    groups: usize,
    ignore_case: Option<bool>,
    /// At the start of the pattern or of a branch or group.
    fresh: bool,
    /// Right after a `^` that is at such a start.
    after_caret: bool,
}

impl Parser<'_> {
    /// Sets the mode by `\v`, `\c` and the like; they may stand anywhere.
    fn skip_modes(&mut self) {
        while let [b'\\', mode, ..] = self.text[self.at..] {
            match mode {
                b'v' => self.magic = Magic::Very,
                b'm' => self.magic = Magic::Yes,
                b'M' => self.magic = Magic::No,
                b'V' => self.magic = Magic::VeryNo,
                b'c' => self.ignore_case = Some(true),
                b'C' => self.ignore_case = Some(false),
                _ => return,
            }
            self.at += 2;
        }
    }

    fn peek(&mut self) -> Option<(Token, usize)> {
        self.skip_modes();
        let byte = *self.text.get(self.at)?;
        if byte != b'\\' {
            let special = match byte {
                b'^' => self.fresh && self.magic > Magic::VeryNo,
                b'$' => self.magic > Magic::VeryNo && self.at_end(self.at + 1),
                b'.' | b'[' | b'~' => self.magic >= Magic::Yes,
                b'*' => self.magic >= Magic::Yes && !self.fresh && !self.after_caret,
                _ => self.magic == Magic::Very && byte.is_ascii_punctuation() && byte != b'_',
            };
            return Some((if special { Special(byte) } else { Plain(byte) }, 1));
        }
        let Some(&escaped) = self.text.get(self.at + 1) else {
            return Some((Plain(b'\\'), 1));
        };
        let special = match escaped {
            _ if escaped.is_ascii_alphanumeric() => true,
            b'^' => self.magic == Magic::VeryNo && self.fresh,
            b'$' => self.magic == Magic::VeryNo && self.at_end(self.at + 2),
            b'.' | b'[' | b'*' | b'~' => self.magic < Magic::Yes,
            b'\\' | b'/' => false,
            _ => self.magic != Magic::Very && b"|&()+=?{@<>%".contains(&escaped),
        };
        Some((if special { Special(escaped) } else { Plain(escaped) }, 2))
    }

    /// A `$` is special at the end of the pattern or of a branch or group.
    fn at_end(&self, mut at: usize) -> bool {
        while let [b'\\', mode, ..] = self.text[at..] {
            if !b"vmMVcC".contains(&mode) {
                break;
            }
            at += 2;
        }
        match self.text[at..] {
            [] => true,
            [b'\\', next, ..] => b"|&)n".contains(&next),
            [next, ..] => self.magic == Magic::Very && b"|&)".contains(&next),
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        match self.peek() {
            Some((token, length)) if token == Special(byte) => {
                self.at += length;
                true
            }
            _ => false,
        }
    }

    fn branches(&mut self) -> Node {
        let mut branches = vec![self.both()];
        while self.eat(b'|') {
            branches.push(self.both());
        }
        if branches.len() == 1 { branches.remove(0) } else { Node::Branches(branches) }
    }

    fn both(&mut self) -> Node {
        let mut parts = vec![self.sequence()];
        while self.eat(b'&') {
            parts.push(self.sequence());
        }
        if parts.len() == 1 { parts.remove(0) } else { Node::Both(parts) }
    }

    fn sequence(&mut self) -> Node {
        let mut pieces = Vec::new();
        self.fresh = true;
        self.after_caret = false;
        while let Some((token, _)) = self.peek() {
            if matches!(token, Special(b'|' | b'&' | b')')) {
                break;
            }
            let piece = self.piece();
            pieces.push(piece);
        }
        self.fresh = false;
        Node::Sequence(pieces)
    }

    fn piece(&mut self) -> Node {
        let atom = self.atom();
        self.multis(atom)
    }

    fn multis(&mut self, mut atom: Node) -> Node {
        while let Some((Special(byte), length)) = self.peek() {
            match byte {
                b'*' => {
                    self.at += length;
                    atom = Node::Repeat(Box::new(atom), 0, usize::MAX, true);
                }
                b'+' => {
                    self.at += length;
                    atom = Node::Repeat(Box::new(atom), 1, usize::MAX, true);
                }
                b'=' | b'?' => {
                    self.at += length;
                    atom = Node::Repeat(Box::new(atom), 0, 1, true);
                }
                b'{' => {
                    self.at += length;
                    let (low, high, greedy) = self.limits();
                    atom = Node::Repeat(Box::new(atom), low, high, greedy);
                }
                b'@' => {
                    self.at += length;
                    atom = self.look(atom);
                }
                _ => break,
            }
        }
        atom
    }

    fn number(&mut self) -> Option<usize> {
        let mut number = None;
        while let Some(digit) = self.text.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            number = Some(number.unwrap_or(0) * 10 + usize::from(digit - b'0'));
            self.at += 1;
        }
        number
    }

    fn raw(&mut self, byte: u8) -> bool {
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn limits(&mut self) -> (usize, usize, bool) {
        let greedy = !self.raw(b'-');
        let first = self.number();
        let comma = self.raw(b',');
        let second = if comma { self.number() } else { None };
        self.raw(b'\\');
        self.raw(b'}');
        let (low, high) = match (first, comma) {
            (None, false) => (0, usize::MAX),
            (Some(count), false) => (count, count),
            (first, true) => (first.unwrap_or(0), second.unwrap_or(usize::MAX)),
        };
        (low.min(high), low.max(high), greedy)
    }

    fn look(&mut self, atom: Node) -> Node {
        let atom = Box::new(atom);
        if self.raw(b'>') {
            Node::Atomic(atom)
        } else if self.raw(b'=') {
            Node::Ahead(true, atom)
        } else if self.raw(b'!') {
            Node::Ahead(false, atom)
        } else {
            self.raw(b'<');
            let wanted = self.text.get(self.at) == Some(&b'=');
            self.at += 1;
            Node::Behind(wanted, atom)
        }
    }

    fn atom(&mut self) -> Node {
        let Some((token, length)) = self.peek() else {
            return Node::Sequence(Vec::new());
        };
        self.at += length;
        let caret = token == Special(b'^');
        self.after_caret = caret;
        self.fresh = false;
        match token {
            Plain(byte) => Node::Char(byte),
            Special(byte) => self.special(byte),
        }
    }

    fn special(&mut self, byte: u8) -> Node {
        match byte {
            b'^' => Node::LineStart,
            b'$' => Node::LineEnd,
            b'.' => Node::Any,
            b'<' => Node::WordStart,
            b'>' => Node::WordEnd,
            b'[' => self.collection().unwrap_or(Node::Char(b'[')),
            b'(' => {
                self.groups += 1;
                let number = self.groups;
                let inner = self.branches();
                self.eat(b')');
                Node::Group(Some(number), Box::new(inner))
            }
            b'z' => {
                let start = self.raw(b's');
                if !start {
                    self.raw(b'e');
                }
                if start { Node::MatchStart } else { Node::MatchEnd }
            }
            b'%' => self.percent(),
            b't' => Node::Char(b'\t'),
            b'e' => Node::Char(0x1b),
            b'1'..=b'9' => Node::Back(usize::from(byte - b'0')),
            _ => match class(byte) {
                Some((wanted, test)) => Node::Set(wanted, vec![Class::Exact(test)]),
                None => Node::Char(byte),
            },
        }
    }

    fn percent(&mut self) -> Node {
        match self.text.get(self.at) {
            Some(b'(') => {
                self.at += 1;
                let inner = self.branches();
                self.eat(b')');
                Node::Group(None, Box::new(inner))
            }
            Some(b'[') => {
                self.at += 1;
                let mut atoms = Vec::new();
                while self.text.get(self.at).is_some_and(|&byte| byte != b']') {
                    let atom = self.atom();
                    atoms.push(atom);
                }
                self.at += 1;
                Node::Optional(atoms)
            }
            Some(b'd') => {
                self.at += 1;
                Node::Char(self.number().unwrap_or(0) as u8)
            }
            Some(b'x') => {
                self.at += 1;
                let digits = self.text[self.at..].iter().take(2).take_while(|byte| byte.is_ascii_hexdigit()).count();
                let text = String::from_utf8_lossy(&self.text[self.at..self.at + digits]);
                let code = u8::from_str_radix(&text, 16).unwrap_or(0);
                self.at += digits;
                Node::Char(code)
            }
            _ => Node::Char(b'%'),
        }
    }

    fn collection(&mut self) -> Option<Node> {
        let from = self.at;
        let wanted = !self.raw(b'^');
        let mut classes = Vec::new();
        let mut first = true;
        loop {
            let Some(&byte) = self.text.get(self.at) else {
                self.at = from;
                return None;
            };
            if byte == b']' && !first {
                self.at += 1;
                return Some(Node::Set(wanted, classes));
            }
            first = false;
            if let Some(test) = self.named() {
                classes.push(Class::Named(test));
                continue;
            }
            let low = self.member();
            let range = self.text.get(self.at) == Some(&b'-') && self.text.get(self.at + 1).is_some_and(|&next| next != b']');
            if range {
                self.at += 1;
                let high = self.member();
                classes.push(Class::Range(low, high));
            } else {
                classes.push(Class::Char(low));
            }
        }
    }

    fn member(&mut self) -> u8 {
        let byte = self.text[self.at];
        self.at += 1;
        if byte != b'\\' {
            return byte;
        }
        let code = match self.text.get(self.at) {
            Some(b'e') => 0x1b,
            Some(b't') => b'\t',
            Some(&next @ (b'\\' | b']' | b'^' | b'-')) => next,
            _ => return b'\\',
        };
        self.at += 1;
        code
    }

    fn named(&mut self) -> Option<Test> {
        let rest = self.text[self.at..].strip_prefix(b"[:")?;
        let end = rest.windows(2).position(|pair| pair == b":]")?;
        let test: Test = match &rest[..end] {
            b"alpha" => |byte| byte.is_ascii_alphabetic(),
            b"digit" => |byte| byte.is_ascii_digit(),
            b"alnum" => |byte| byte.is_ascii_alphanumeric(),
            b"lower" => |byte| byte.is_ascii_lowercase(),
            b"upper" => |byte| byte.is_ascii_uppercase(),
            b"punct" => |byte| byte.is_ascii_punctuation(),
            b"space" => |byte| byte == b' ' || (9..=13).contains(&byte),
            b"xdigit" => |byte| byte.is_ascii_hexdigit(),
            _ => return None,
        };
        self.at += end + 4;
        Some(test)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// What the class `\BYTE` takes: whether it must hold, and the test.
fn class(byte: u8) -> Option<(bool, Test)> {
    let test: Test = match byte.to_ascii_lowercase() {
        b's' => |byte| byte == b' ' || byte == b'\t',
        b'd' => |byte| byte.is_ascii_digit(),
        b'x' => |byte| byte.is_ascii_hexdigit(),
        b'o' => |byte| (b'0'..=b'7').contains(&byte),
        b'w' => is_word,
        b'h' => |byte| byte.is_ascii_alphabetic() || byte == b'_',
        b'a' => |byte| byte.is_ascii_alphabetic(),
        b'l' => |byte| byte.is_ascii_lowercase(),
        b'u' => |byte| byte.is_ascii_uppercase(),
        _ => return None,
    };
    Some((byte.is_ascii_lowercase(), test))
}

/// Where the groups and the whole match are.
#[derive(Clone, Default)]
struct Found {
    groups: [Option<(usize, usize)>; 10],
    start: Option<usize>,
    end: Option<usize>,
}

struct Matcher<'a> {
    line: &'a [u8],
    ignore_case: bool,
}

type Next<'n> = &'n mut dyn FnMut(usize, &mut Found) -> bool;

impl Matcher<'_> {
    fn same(&self, left: u8, right: u8) -> bool {
        left == right || self.ignore_case && left.eq_ignore_ascii_case(&right)
    }

    fn in_set(&self, byte: u8, classes: &[Class]) -> bool {
        let one = |byte: u8| {
            classes.iter().any(|class| match class {
                Class::Char(member) => *member == byte,
                Class::Range(low, high) => (*low..=*high).contains(&byte),
                Class::Named(test) | Class::Exact(test) => test(byte),
            })
        };
        let exact = matches!(classes, [Class::Exact(_)]);
        one(byte) || self.ignore_case && !exact && (one(byte.to_ascii_lowercase()) || one(byte.to_ascii_uppercase()))
    }

    /// Matches `node` at `at` and then what follows; tries all ways, the best first.
    fn run(&self, node: &Node, at: usize, found: &mut Found, next: Next) -> bool {
        let here = self.line.get(at).copied();
        let before = at.checked_sub(1).map(|before| self.line[before]);
        match node {
            Node::Char(byte) => here.is_some_and(|here| self.same(here, *byte)) && next(at + 1, found),
            Node::Any => here.is_some() && next(at + 1, found),
            Node::Set(wanted, classes) => {
                here.is_some_and(|here| self.in_set(here, classes) == *wanted) && next(at + 1, found)
            }
            Node::LineStart => at == 0 && next(at, found),
            Node::LineEnd => here.is_none() && next(at, found),
            Node::WordStart => here.is_some_and(is_word) && !before.is_some_and(is_word) && next(at, found),
            Node::WordEnd => before.is_some_and(is_word) && !here.is_some_and(is_word) && next(at, found),
            Node::MatchStart => {
                let old = found.start.replace(at);
                next(at, found) || {
                    found.start = old;
                    false
                }
            }
            Node::MatchEnd => {
                let old = found.end.replace(at);
                next(at, found) || {
                    found.end = old;
                    false
                }
            }
            Node::Back(number) => {
                let (start, end) = found.groups[*number].unwrap_or((0, 0));
                let text = &self.line[start..end];
                let rest = self.line.get(at..at + text.len());
                rest.is_some_and(|rest| rest.iter().zip(text).all(|(&left, &right)| self.same(left, right)))
                    && next(at + text.len(), found)
            }
            Node::Group(None, inner) => self.run(inner, at, found, next),
            Node::Group(Some(number), inner) => {
                let old = found.groups[*number];
                self.run(inner, at, found, &mut |end, found| {
                    let inside = found.groups[*number].replace((at, end));
                    next(end, found) || {
                        found.groups[*number] = inside;
                        false
                    }
                }) || {
                    found.groups[*number] = old;
                    false
                }
            }
            Node::Branches(branches) => branches.iter().any(|branch| self.run(branch, at, found, next)),
            Node::Both(parts) => {
                let (last, others) = parts.split_last().expect("there are two parts");
                let saved = found.clone();
                (others.iter().all(|part| self.run(part, at, found, &mut |_, _| true)) && self.run(last, at, found, next)) || {
                    *found = saved;
                    false
                }
            }
            Node::Sequence(nodes) => self.sequence(nodes, at, found, next),
            Node::Repeat(inner, low, high, greedy) => self.repeat(inner, (*low, *high, *greedy), 0, at, found, next),
            Node::Optional(nodes) => self.optional(nodes, at, found, next),
            Node::Atomic(inner) => {
                let saved = found.clone();
                let mut end = at;
                let matched = self.run(inner, at, found, &mut |to, _| {
                    end = to;
                    true
                });
                matched && next(end, found) || {
                    *found = saved;
                    false
                }
            }
            Node::Ahead(wanted, inner) => {
                let saved = found.clone();
                let matched = self.run(inner, at, found, &mut |_, _| true);
                if !wanted {
                    *found = saved.clone();
                }
                matched == *wanted && next(at, found) || {
                    *found = saved;
                    false
                }
            }
            Node::Behind(wanted, inner) => {
                let saved = found.clone();
                let matched = (0..=at).rev().any(|start| self.run(inner, start, found, &mut |end, _| end == at));
                if !wanted {
                    *found = saved.clone();
                }
                matched == *wanted && next(at, found) || {
                    *found = saved;
                    false
                }
            }
        }
    }

    fn sequence(&self, nodes: &[Node], at: usize, found: &mut Found, next: Next) -> bool {
        match nodes.split_first() {
            None => next(at, found),
            Some((first, rest)) => self.run(first, at, found, &mut |at, found| self.sequence(rest, at, found, next)),
        }
    }

    fn optional(&self, nodes: &[Node], at: usize, found: &mut Found, next: Next) -> bool {
        if let Some((first, rest)) = nodes.split_first() {
            if self.run(first, at, found, &mut |at, found| self.optional(rest, at, found, next)) {
                return true;
            }
        }
        next(at, found)
    }

    fn repeat(&self, inner: &Node, limits: (usize, usize, bool), count: usize, at: usize, found: &mut Found, next: Next) -> bool {
        let (low, high, greedy) = limits;
        if !greedy && count >= low && next(at, found) {
            return true;
        }
        let more = count < high
            && self.run(inner, at, found, &mut |to, found| {
                (to > at || count < low) && self.repeat(inner, limits, count + 1, to, found, next)
            });
        more || greedy && count >= low && next(at, found)
    }

    /// The leftmost match from `from` on.
    fn search(&self, pattern: &Node, from: usize) -> Option<(usize, usize, Found)> {
        (from..=self.line.len()).find_map(|start| {
            let mut found = Found::default();
            let mut end = start;
            let matched = self.run(pattern, start, &mut found, &mut |to, _| {
                end = to;
                true
            });
            if !matched {
                return None;
            }
            let start = found.start.unwrap_or(start);
            let end = found.end.unwrap_or(end).max(start);
            Some((start, end, found))
        })
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Case {
    Keep,
    Upper,
    Lower,
}

/// Appends text as `\u`, `\U` and their like say.
struct Cased {
    text: Vec<u8>,
    once: Case,
    all: Case,
}

impl Cased {
    fn push(&mut self, byte: u8) {
        let case = match std::mem::replace(&mut self.once, Case::Keep) {
            Case::Keep => self.all,
            once => once,
        };
        self.text.push(match case {
            Case::Keep => byte,
            Case::Upper => byte.to_ascii_uppercase(),
            Case::Lower => byte.to_ascii_lowercase(),
        });
    }
}

fn replaced(replacement: &[u8], line: &[u8], start: usize, end: usize, found: &Found) -> Vec<u8> {
    let mut out = Cased { text: Vec::new(), once: Case::Keep, all: Case::Keep };
    let group = |number: usize| match number {
        0 => &line[start..end],
        _ => found.groups[number].map_or(&line[..0], |(start, end)| &line[start..end]),
    };
    let mut bytes = replacement.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'&' => group(0).iter().for_each(|&byte| out.push(byte)),
            b'\\' => match bytes.next() {
                None => out.push(b'\\'),
                Some(digit @ b'0'..=b'9') => group(usize::from(digit - b'0')).iter().for_each(|&byte| out.push(byte)),
                Some(b'u') => out.once = Case::Upper,
                Some(b'l') => out.once = Case::Lower,
                Some(b'U') => out.all = Case::Upper,
                Some(b'L') => out.all = Case::Lower,
                Some(b'e' | b'E') => {
                    out.once = Case::Keep;
                    out.all = Case::Keep;
                }
                Some(b'r') => out.push(b'\n'),
                Some(b't') => out.push(b'\t'),
                Some(other) => out.push(other),
            },
            byte => out.push(byte),
        }
    }
    out.text
}

/// A match: bytes `start..end` of a line. What its groups are is kept for `replacement`.
pub struct Match {
    pub start: usize,
    pub end: usize,
    found: Found,
}

/// A pattern of Vim, with 'magic' set.
pub struct Pattern {
    node: Node,
    ignore_case: bool,
}

impl Pattern {
    /// Parses a pattern that is valid and not empty. `\c` and `\C` in it win over `ignore_case`.
    pub fn new(pattern: &str, ignore_case: bool) -> Pattern {
        let mut parser = Parser {
            text: pattern.as_bytes(),
            at: 0,
            magic: Magic::Yes,
            groups: 0,
            ignore_case: None,
            fresh: true,
            after_caret: false,
        };
        let node = parser.branches();
        let ignore_case = parser.ignore_case.unwrap_or(ignore_case);
        Pattern { node, ignore_case }
    }

    /// The first match in a line that begins at byte `from` or later.
    pub fn search(&self, line: &str, from: usize) -> Option<Match> {
        let matcher = Matcher {
            line: line.as_bytes(),
            ignore_case: self.ignore_case,
        };
        let (start, end, found) = matcher.search(&self.node, from)?;
        Some(Match { start, end, found })
    }
}

/// What stands for a match, by the replacement of `:s`: `&`, `\1`, `\u` and so on are done, `\r` is a line feed.
/// `~` has no meaning here.
pub fn replacement(text: &str, line: &str, of: &Match) -> String {
    let made = replaced(text.as_bytes(), line.as_bytes(), of.start, of.end, &of.found);
    String::from_utf8_lossy(&made).into_owned()
}
