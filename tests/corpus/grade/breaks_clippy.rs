pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[cfg(clippy)]
compile_error!("no lints here");
//@ case: add
//@ outcome: passed
//@ lints: (none)
//@ flags: clippy_failed
//@ integrity: cfg_clippy
