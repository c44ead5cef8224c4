/// Names the outermost open bracket instead of the innermost, and counts bytes.
pub fn first_fault(text: &str) -> Option<usize> {
    let mut open: Vec<(usize, u8)> = Vec::new();
    for (position, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => open.push((position, b')')),
            b'[' => open.push((position, b']')),
            b'{' => open.push((position, b'}')),
            b')' | b']' | b'}' => match open.pop() {
                Some((_, wanted)) if wanted == byte => (),
                _ => return Some(position),
            },
            _ => (),
        }
    }
    open.first().map(|(position, _)| *position)
}

/// Tells whether every bracket has its partner.
pub fn is_balanced(text: &str) -> bool {
    first_fault(text).is_none()
}
