pub fn first_fault(text: &str) -> Option<usize> {
    let mut stack: Vec<(usize, char)> = Vec::new();
    let mut position = 0;
    for c in text.chars() {
        if c == '(' || c == '[' || c == '{' {
            stack.push((position, c));
        } else if c == ')' || c == ']' || c == '}' {
            if stack.len() == 0 {
                return Some(position);
            }
            let top = stack.pop().unwrap();
            if matching(&top.1, &c) == false {
                return Some(position);
            }
        }
        position += 1;
    }
    if let Some(top) = stack.get(stack.len().wrapping_sub(1)) {
        return Some(top.0);
    }
    return None;
}

fn matching(open: &char, close: &char) -> bool {
    let pair = (open.clone(), close.clone());
    match pair {
        ('(', ')') => true,
        ('[', ']') => true,
        ('{', '}') => true,
        _ => false,
    }
}
