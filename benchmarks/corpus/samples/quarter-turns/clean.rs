//! Turning rectangular grids by quarters.

/// Turns a grid clockwise by `quarters`; negative ones turn it the other way.
pub fn turn(grid: &[Vec<i32>], quarters: i32) -> Vec<Vec<i32>> {
    match quarters.rem_euclid(4) {
        0 => grid.to_vec(),
        1 => columns(grid).map(|column| column.rev().collect()).collect(),
        2 => grid
            .iter()
            .rev()
            .map(|row| row.iter().rev().copied().collect())
            .collect(),
        _ => {
            let mut turned: Vec<Vec<i32>> = columns(grid).map(Iterator::collect).collect();
            turned.reverse();
            turned
        }
    }
}

/// Yields the columns of a grid, each from the top to the bottom.
fn columns(
    grid: &[Vec<i32>],
) -> impl Iterator<Item = impl DoubleEndedIterator<Item = i32> + '_> + '_ {
    let width = grid.first().map_or(0, Vec::len);
    (0..width).map(move |x| grid.iter().map(move |row| row[x]))
}
