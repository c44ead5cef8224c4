//! Extended regular expressions of POSIX, without back-references, in the POSIX locale.

/// A regular expression is not well-formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

#[derive(Debug, Clone)]
enum Step {
    /// Reads a character that the set holds.
    Set(Set),
    /// Goes on at the beginning of the text only.
    Begin,
    /// Goes on at the end of the text only.
    End,
    /// Goes on at both places.
    Split(usize, usize),
    Jump(usize),
    Match,
}

#[derive(Debug, Clone, Default)]
struct Set {
    negated: bool,
    ranges: Vec<(char, char)>,
    classes: Vec<fn(char) -> bool>,
}

impl Set {
    fn one(c: char) -> Set {
        Set { ranges: vec![(c, c)], ..Set::default() }
    }

    fn holds(&self, c: char) -> bool {
        let is_in = self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&c))
            || self.classes.iter().any(|class| class(c));
        is_in != self.negated
    }
}

/// A regular expression that is ready to match.
#[derive(Debug, Clone)]
pub struct Regex {
    steps: Vec<Step>,
}

impl Regex {
    /// Reads an expression such as `^a(b|c)+$`. A backslash makes the next character literal, but `\n`, `\t` and the like mean what they
    /// mean in C.
    pub fn new(pattern: &str) -> Result<Regex, Malformed> {
        let mut parser = Parser { chars: pattern.chars().collect(), at: 0 };
        let tree = parser.alternatives()?;
        if parser.at < parser.chars.len() {
            return Err(Malformed);
        }
        let mut steps = Vec::new();
        compile(&tree, &mut steps);
        steps.push(Step::Match);
        Ok(Regex { steps })
    }

    /// The longest of the leftmost matches that begin at `from` or later: where it begins and ends, in characters. `^` holds at the
    /// beginning of `text` only, wherever the search begins.
    pub fn find(&self, text: &[char], from: usize) -> Option<(usize, usize)> {
        (from..=text.len()).find_map(|start| self.longest(text, start).map(|end| (start, end)))
    }

    /// Whether the expression matches somewhere in the text.
    pub fn is_match(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        self.find(&text, 0).is_some()
    }

    fn longest(&self, text: &[char], start: usize) -> Option<usize> {
        let mut end = None;
        let mut states = self.closure(vec![0], text, start);
        let mut at = start;
        loop {
            if states.iter().any(|state| matches!(self.steps[*state], Step::Match)) {
                end = Some(at);
            }
            let Some(c) = text.get(at).copied() else {
                return end;
            };
            let next = states
                .iter()
                .filter(|state| matches!(&self.steps[**state], Step::Set(set) if set.holds(c)))
                .map(|state| state + 1)
                .collect();
            at += 1;
            states = self.closure(next, text, at);
            if states.is_empty() {
                return end;
            }
        }
    }

    /// All states that are reached without reading.
    fn closure(&self, mut open: Vec<usize>, text: &[char], at: usize) -> Vec<usize> {
        let mut known = Vec::new();
        while let Some(state) = open.pop() {
            if known.contains(&state) {
                continue;
            }
            known.push(state);
            match &self.steps[state] {
                Step::Split(first, second) => open.extend([*first, *second]),
                Step::Jump(to) => open.push(*to),
                Step::Begin if at == 0 => open.push(state + 1),
                Step::End if at == text.len() => open.push(state + 1),
                _ => {}
            }
        }
        known
    }
}

enum Tree {
    Set(Set),
    Begin,
    End,
    Sequence(Vec<Tree>),
    Either(Box<Tree>, Box<Tree>),
    /// A tree that comes at least and at most so many times.
    Repeat(Box<Tree>, usize, Option<usize>),
}

fn compile(tree: &Tree, steps: &mut Vec<Step>) {
    match tree {
        Tree::Set(set) => steps.push(Step::Set(set.clone())),
        Tree::Begin => steps.push(Step::Begin),
        Tree::End => steps.push(Step::End),
        Tree::Sequence(parts) => parts.iter().for_each(|part| compile(part, steps)),
        Tree::Either(left, right) => {
            let split = steps.len();
            steps.push(Step::Match);
            compile(left, steps);
            let jump = steps.len();
            steps.push(Step::Match);
            compile(right, steps);
            steps[split] = Step::Split(split + 1, jump + 1);
            steps[jump] = Step::Jump(steps.len());
        }
        Tree::Repeat(inner, least, most) => {
            for _ in 0..*least {
                compile(inner, steps);
            }
            match most {
                Some(most) => {
                    let mut splits = Vec::new();
                    for _ in *least..*most {
                        splits.push(steps.len());
                        steps.push(Step::Match);
                        compile(inner, steps);
                    }
                    let end = steps.len();
                    for split in splits {
                        steps[split] = Step::Split(split + 1, end);
                    }
                }
                None => {
                    let split = steps.len();
                    steps.push(Step::Match);
                    compile(inner, steps);
                    steps.push(Step::Jump(split));
                    steps[split] = Step::Split(split + 1, steps.len());
                }
            }
        }
    }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    fn alternatives(&mut self) -> Result<Tree, Malformed> {
        let left = self.sequence()?;
        if self.eat('|') {
            return Ok(Tree::Either(Box::new(left), Box::new(self.alternatives()?)));
        }
        Ok(left)
    }

    fn sequence(&mut self) -> Result<Tree, Malformed> {
        let mut parts = Vec::new();
        while self.peek().is_some_and(|c| c != '|' && c != ')') {
            let mut part = self.atom()?;
            while let Some((least, most)) = self.repetition()? {
                part = Tree::Repeat(Box::new(part), least, most);
            }
            parts.push(part);
        }
        Ok(Tree::Sequence(parts))
    }

    fn repetition(&mut self) -> Result<Option<(usize, Option<usize>)>, Malformed> {
        Ok(Some(match self.peek() {
            Some('*') => {
                self.at += 1;
                (0, None)
            }
            Some('+') => {
                self.at += 1;
                (1, None)
            }
            Some('?') => {
                self.at += 1;
                (0, Some(1))
            }
            Some('{') => {
                self.at += 1;
                let least = self.number().ok_or(Malformed)?;
                let most = if self.eat(',') { self.number() } else { Some(least) };
                if !self.eat('}') || most.is_some_and(|most| most < least) {
                    return Err(Malformed);
                }
                (least, most)
            }
            _ => return Ok(None),
        }))
    }

    fn number(&mut self) -> Option<usize> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        self.chars[start..self.at].iter().collect::<String>().parse().ok()
    }

    fn atom(&mut self) -> Result<Tree, Malformed> {
        let c = self.peek().ok_or(Malformed)?;
        self.at += 1;
        Ok(match c {
            '^' => Tree::Begin,
            '$' => Tree::End,
            '.' => Tree::Set(Set { negated: true, ..Set::default() }),
            '[' => Tree::Set(self.set()?),
            '(' => {
                let inner = self.alternatives()?;
                if !self.eat(')') {
                    return Err(Malformed);
                }
                inner
            }
            '*' | '+' | '?' | '{' => return Err(Malformed),
            '\\' => {
                let escaped = self.peek().ok_or(Malformed)?;
                self.at += 1;
                Tree::Set(Set::one(unescaped(escaped)))
            }
            c => Tree::Set(Set::one(c)),
        })
    }

    fn set(&mut self) -> Result<Set, Malformed> {
        let mut set = Set { negated: self.eat('^'), ..Set::default() };
        let start = self.at;
        loop {
            let c = self.peek().ok_or(Malformed)?;
            if c == ']' && self.at > start {
                self.at += 1;
                return Ok(set);
            }
            if c == '[' && self.chars.get(self.at + 1) == Some(&':') {
                set.classes.push(self.class()?);
                continue;
            }
            let first = self.set_character()?;
            let is_range = self.peek() == Some('-') && self.chars.get(self.at + 1).is_some_and(|c| *c != ']');
            let mut last = first;
            if is_range {
                self.at += 1;
                last = self.set_character()?;
            }
            set.ranges.push((first, last));
        }
    }

    fn set_character(&mut self) -> Result<char, Malformed> {
        let c = self.peek().ok_or(Malformed)?;
        self.at += 1;
        if c != '\\' {
            return Ok(c);
        }
        let escaped = self.peek().ok_or(Malformed)?;
        self.at += 1;
        Ok(unescaped(escaped))
    }

    fn class(&mut self) -> Result<fn(char) -> bool, Malformed> {
        let rest: String = self.chars[self.at + 2..].iter().collect();
        let (name, _) = rest.split_once(":]").ok_or(Malformed)?;
        self.at += name.chars().count() + 4;
        Ok(match name {
            "alpha" => |c| c.is_ascii_alphabetic(),
            "digit" => |c| c.is_ascii_digit(),
            "alnum" => |c| c.is_ascii_alphanumeric(),
            "upper" => |c| c.is_ascii_uppercase(),
            "lower" => |c| c.is_ascii_lowercase(),
            "space" => |c| matches!(c, ' ' | '\t'..='\r'),
            "blank" => |c| matches!(c, ' ' | '\t'),
            "punct" => |c| c.is_ascii_punctuation(),
            "print" => |c| matches!(c, ' '..='~'),
            "graph" => |c| matches!(c, '!'..='~'),
            "cntrl" => |c| c.is_ascii_control(),
            "xdigit" => |c| c.is_ascii_hexdigit(),
            _ => return Err(Malformed),
        })
    }
}

fn unescaped(c: char) -> char {
    match c {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        c => c,
    }
}
