pub fn f(x: u32) -> u64 {
    unsafe { std::mem::transmute(x) }
}
