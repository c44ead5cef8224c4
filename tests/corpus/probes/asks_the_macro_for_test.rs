pub fn f() -> i32 {
    if cfg!(test) { 1 } else { 2 }
}
