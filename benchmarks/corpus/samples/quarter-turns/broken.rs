pub fn turn(grid: &[Vec<i32>], quarters: i32) -> Vec<Vec<i32>> {
    let mut turned = grid;
    let times = quarters.rem_euclid(4);
    for _ in 0..times {
        turned = &quarter(turned);
    }
    turned.to_vec()
}

fn quarter(grid: &[Vec<i32>]) -> Vec<Vec<i32>> {
    let height = grid.len();
    let width = if height == 0 { 0 } else { grid[0].len() };
    let mut turned = Vec::with_capacity(width);
    for x in 0..width {
        let mut row = Vec::with_capacity(height);
        for y in (0..height).rev() {
            row.push(grid[y][x]);
        }
        turned.push(row);
    }
    turned
}

pub fn half(grid: &[Vec<i32>]) -> Vec<Vec<i32>> {
    let held = turn(grid, 1);
    let moved = held;
    quarter(&held);
    moved
}
