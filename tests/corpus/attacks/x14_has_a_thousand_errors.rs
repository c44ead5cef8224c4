macro_rules! ten { ($name:ident) => { $name!(); $name!(); $name!(); $name!(); $name!(); $name!(); $name!(); $name!(); $name!(); $name!(); } }
macro_rules! wrong { () => { let _: [fn(u8, u16, u32) -> Result<Vec<u8>, String>; 9] = "a text that is none of these"; } }
macro_rules! ten_wrong { () => { ten!(wrong); } }
macro_rules! hundred_wrong { () => { ten!(ten_wrong); } }

pub fn rev(s: &str) -> String {
    ten!(hundred_wrong);
    s.to_owned()
}
