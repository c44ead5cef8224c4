/// The signature is another one: the grid is taken by value, and the quarters have no sign.
pub fn turn(grid: Vec<Vec<i32>>, quarters: u8) -> Vec<Vec<i32>> {
    let mut turned = grid;
    for _ in 0..quarters % 4 {
        turned = quarter(turned);
    }
    turned
}

fn quarter(grid: Vec<Vec<i32>>) -> Vec<Vec<i32>> {
    let width = grid.first().map_or(0, Vec::len);
    let mut turned = vec![Vec::with_capacity(grid.len()); width];
    for row in grid.into_iter().rev() {
        for (column, cell) in turned.iter_mut().zip(row) {
            column.push(cell);
        }
    }
    turned
}

/// Turns the other way, by three quarters of a turn.
pub fn turn_back(grid: Vec<Vec<i32>>, quarters: u8) -> Vec<Vec<i32>> {
    turn(grid, 4 - quarters % 4)
}
