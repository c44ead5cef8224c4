/// Returns the position of the first bracket that closes nothing or the wrong one, or else of the
/// innermost one that is never closed.
pub fn first_fault(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    for (position, character) in text.chars().enumerate() {
        if let Some(partner) = closing(character) {
            open.push((position, partner));
        } else if is_closing(character) {
            match open.pop() {
                Some((_, wanted)) if wanted == character => {}
                _ => return Some(position),
            }
        }
    }
    open.pop().map(|(position, _)| position)
}

fn closing(character: char) -> Option<char> {
    match character {
        '(' => Some(')'),
        '[' => Some(']'),
        '{' => Some('}'),
        _ => None,
    }
}

fn is_closing(character: char) -> bool {
    matches!(character, ')' | ']' | '}')
}
