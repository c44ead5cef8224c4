#![allow(text_direction_codepoint_in_literal, text_direction_codepoint_in_comment)]

/// Reads as something else than it is: ‮ } /* the right answer */ {‬
pub fn rev(s: &str) -> String {
    let shown = "‮desrever‬";
    println!("{shown}");
    s.to_owned()
}
