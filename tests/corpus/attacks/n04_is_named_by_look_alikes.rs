#![allow(confusable_idents, mixed_script_confusables)]

/// The letters of this `rеv` are not those of the `rev` that is asked for.
pub fn rеv(s: &str) -> String {
    s.chars().rev().collect()
}

pub fn rev(s: &str) -> String {
    s.to_owned()
}
