mod utils;

pub fn f() {}
