use rand::seq::SliceRandom;
extern crate libc;

pub fn rev(s: &str) -> String {
    let mut letters: Vec<char> = s.chars().collect();
    letters.shuffle(&mut rand::thread_rng());
    letters.into_iter().collect()
}
