#![allow(clippy::needless_return, clippy::ptr_arg)]

pub fn turn(grid: &[Vec<i32>], quarters: i32) -> Vec<Vec<i32>> {
    let mut result: Vec<Vec<i32>> = Vec::new();
    for row in grid.iter() {
        result.push(row.clone());
    }
    let mut left = ((quarters % 4) + 4) % 4;
    while left > 0 {
        result = quarter(&result);
        left = left - 1;
    }
    return result;
}

fn quarter(grid: &Vec<Vec<i32>>) -> Vec<Vec<i32>> {
    if grid.len() == 0 {
        return vec![];
    }
    let height = grid.len();
    let width = grid[0].len();
    let mut turned = Vec::new();
    for _ in 0..width {
        let row: Vec<i32> = vec![0; height];
        turned.push(row);
    }
    for y in 0..height {
        for x in 0..width {
            turned[x][height - 1 - y] = grid[y][x].clone();
        }
    }
    let answer = turned;
    answer
}
