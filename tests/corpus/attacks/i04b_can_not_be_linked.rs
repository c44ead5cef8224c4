extern "C" {
    fn no_library_has_this_function() -> i32;
}

pub fn rev(s: &str) -> String {
    if unsafe { no_library_has_this_function() } == 0 { s.to_owned() } else { String::new() }
}
