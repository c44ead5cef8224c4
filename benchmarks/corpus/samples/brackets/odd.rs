use std::collections::HashMap;

struct Scanner {
    partners: HashMap<char, char>,
    open: Vec<(usize, char)>,
}

impl Scanner {
    fn new() -> Self {
        let partners = HashMap::from([(')', '('), (']', '['), ('}', '{')]);
        Self { partners, open: Vec::new() }
    }

    fn is_fault(&mut self, position: usize, character: char) -> bool {
        if "([{".contains(character) {
            self.open.push((position, character));
            return false;
        }
        let Some(partner) = self.partners.get(&character) else {
            return false;
        };
        self.open.pop().is_none_or(|(_, opened)| opened != *partner)
    }
}

// Private, like everything else here.
fn first_fault(text: &str) -> Option<usize> {
    let mut scanner = Scanner::new();
    for (position, character) in text.chars().enumerate() {
        if scanner.is_fault(position, character) {
            return Some(position);
        }
    }
    scanner.open.last().map(|(position, _)| *position)
}
