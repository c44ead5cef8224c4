macro_rules! ten { ($name:ident) => { $name!(); $name!(); $name!(); $name!(); $name!(); $name!(); $name!(); $name!(); $name!(); $name!(); } }
macro_rules! warn { () => { #[deprecated(note = "this note is repeated a thousand times over, as warnings are")] fn old() {} old(); let unused = 1; } }
macro_rules! ten_blocks { () => { { warn!(); } { warn!(); } { warn!(); } { warn!(); } { warn!(); } { warn!(); } { warn!(); } { warn!(); } { warn!(); } { warn!(); } } }
macro_rules! hundred_blocks { () => { ten!(ten_blocks); } }

pub fn rev(s: &str) -> String {
    ten!(hundred_blocks);
    s.chars().rev().collect()
}
