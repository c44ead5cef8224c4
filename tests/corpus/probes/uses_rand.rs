use rand::Rng;

pub fn f() -> u8 {
    rand::thread_rng().gen()
}
