pub fn f() -> i32 {
    let a = [1, 2, 3];
    a[5]
}
