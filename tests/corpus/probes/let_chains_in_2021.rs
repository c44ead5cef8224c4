pub fn f(x: Option<i32>) -> i32 {
    if let Some(y) = x && y > 1 { y } else { 0 }
}
