macro_rules! ten { ($name:ident) => { $name!(); $name!(); $name!(); $name!(); $name!(); $name!(); $name!(); $name!(); $name!(); $name!(); } }
macro_rules! warn { () => { #[deprecated(note = "this note is repeated a hundred times over, as warnings are")] fn old() {} old(); let unused = 1; } }
macro_rules! ten_blocks { () => { { warn!(); } { warn!(); } { warn!(); } { warn!(); } { warn!(); } { warn!(); } { warn!(); } { warn!(); } { warn!(); } { warn!(); } } }

pub fn rev(s: &str) -> String {
    ten!(ten_blocks);
    s.chars().rev().collect()
}
