use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Returns the smallest order in which everything comes after what it needs; `None` for a cycle.
pub fn build_order(count: usize, needs: &[(usize, usize)]) -> Option<Vec<usize>> {
    let needs: BTreeSet<(usize, usize)> = needs.iter().copied().collect();
    let mut missing = vec![0_usize; count];
    let mut needed_by = vec![Vec::new(); count];
    for &(who, what) in &needs {
        missing[who] += 1;
        needed_by[what].push(who);
    }
    let mut ready: BinaryHeap<Reverse<usize>> = (0..count)
        .filter(|&one| missing[one] == 0)
        .map(Reverse)
        .collect();
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse(next)) = ready.pop() {
        order.push(next);
        for &waiting in &needed_by[next] {
            missing[waiting] -= 1;
            if missing[waiting] == 0 {
                ready.push(Reverse(waiting));
            }
        }
    }
    (order.len() == count).then_some(order)
}
