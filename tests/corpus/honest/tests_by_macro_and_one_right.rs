fn double(n: i32) -> i32 {
    n + n
}
