pub fn first_fault(text: &str) -> Option<usize> {
    let mut open = vec![];
    for (position, character) in text.chars().enumerate() {
        match character {
            '(' | '[' | '{' => open.push((position, character)),
            ')' | ']' | '}' => {
                let Some((_, partner)) = open.pop() else {
                    return Some(position);
                };
                if !fits(partner, character) {
                    return Some(position);
                }
            }
            _ => {}
        }
    }
    open.last().map(|(position, _)| *position)
}

fn fits(open: char, close: char) -> bool {
    let pairs = ["()", "[]", "{}"];
    pairs.iter().any(|pair| {
        let mut two = pair.chars();
        two.next() == Some(open) && two.next() == Some(close)
    })

pub fn is_balanced(text: &str) -> bool {
    first_fault(text).is_none()
}
