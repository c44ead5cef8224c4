#!/usr/bin/env rustx
pub fn f() -> i32 {
    return 1;
}
