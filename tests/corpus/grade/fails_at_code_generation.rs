struct Small<const N: usize>;

impl<const N: usize> Small<N> {
    const CHECKED: () = assert!(N < 3, "too large");
}

fn checked<const N: usize>() {
    let () = Small::<N>::CHECKED;
}

pub fn add(a: i32, b: i32) -> i32 {
    checked::<7>();
    a + b
}
//@ case: add
//@ outcome: compile_failed
//@ errors: E0080
