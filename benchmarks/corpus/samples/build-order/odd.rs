//! An order of building, with examples.
//!
//! ```
//! let needs = [(0, 1)];
//! assert!(needs.iter().all(|(who, what)| who != what));
//! ```

use std::collections::BTreeSet;

/// Returns the smallest order.
///
/// ```should_panic
/// let order: Vec<usize> = Vec::new();
/// let _ = order[0];
/// ```
pub fn build_order(count: usize, needs: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut left: BTreeSet<usize> = (0..count).collect();
    let mut order = Vec::with_capacity(count);
    while !left.is_empty() {
        let next = left.iter().copied().find(|one| {
            needs
                .iter()
                .filter(|(who, _)| who == one)
                .all(|(_, what)| !left.contains(what))
        })?;
        left.remove(&next);
        order.push(next);
    }
    Some(order)
}
