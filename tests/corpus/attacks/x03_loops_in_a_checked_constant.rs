const FOREVER: u64 = {
    let mut n = 0_u64;
    while n < u64::MAX {
        n += 1;
    }
    n
};

pub fn rev(s: &str) -> String {
    println!("{FOREVER}");
    s.to_owned()
}
