use std::collections::VecDeque;

/// Takes what became ready first, not the smallest, and is led astray by a need said twice.
pub fn build_order(count: usize, needs: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut missing = vec![0; count];
    for (who, _) in needs {
        missing[*who] = 1;
    }
    let mut ready: VecDeque<usize> = (0..count).filter(|one| missing[*one] == 0).collect();
    let mut order = Vec::new();
    while let Some(next) = ready.pop_back() {
        order.push(next);
        for (who, what) in needs {
            if *what == next && missing[*who] > 0 {
                missing[*who] -= 1;
                ready.push_back(*who);
            }
        }
    }
    if order.len() == count {
        Some(order)
    } else {
        None
    }
}
