#[cfg(test)]
mod tests {
    use super::*;
    #[test] fn first() { assert_eq!(sound(), 1); }
    #[test] fn spins() { assert_eq!(spin(), 1); }
    #[test] fn sleeps() { assert_eq!(sleep(), 1); }
    #[test] fn overflows() { assert_eq!(overflow(0), 1); }
    #[test] fn aborts() { assert_eq!(abort(), 1); }
    #[test] fn leaves() { assert_eq!(leave(), 1); }
    #[test] fn leaves_as_if_failed() { std::process::exit(101); }
    #[test] fn forges() { assert_eq!(forge(), 1); }
    #[test] fn panics() { panic!("a certain text"); }
    #[test] fn panics_with_a_number() { panic_any(); }
    #[test] #[should_panic] fn should_panic_and_does() { panic_any(); }
    #[test] #[should_panic(expected = "certain")] fn should_panic_so() { panic!("a certain text"); }
    #[test] #[should_panic(expected = "other")] fn should_panic_otherwise() { panic!("a text"); }
    #[test] #[should_panic] fn should_panic_and_does_not() { sound(); }
    #[test] fn returns_an_error() -> Result<(), String> { Err("refused".to_string()) }
    #[test] fn floods() { assert_eq!(flood(), 1); }
    #[test] fn chatters() { assert_eq!(chatter(), 1); }
    #[test] fn stdin_is_empty() { assert_eq!(read_all(), ""); }
    #[test] fn leaves_a_thread() { assert_eq!(leave_a_thread(), 1); }
    #[test] fn starts_daemons() { assert_eq!(daemon(), 1); }
    #[test] fn grabs_memory() { assert_eq!(grab_memory(), 8 << 30); }
    #[test] fn fills_the_disk() { assert_eq!(fill_disk(), 1); }
    #[test] fn sees_no_key() {
        let known = ["PATH", "TMPDIR", "CARGO_MANIFEST_DIR", "RUST_BACKTRACE", "LD_LIBRARY_PATH"];
        let shell = ["PWD", "OLDPWD", "SHLVL", "_"];
        for name in environment() {
            assert!(known.contains(&&*name) || shell.contains(&&*name), "{name} is seen");
        }
        assert_eq!((KEY_AT_BUILD_TIME, parent_key()), (None, false));
    }
    #[test] #[ignore] fn ignored() { abort(); }
    #[test] fn last() { assert_eq!(sound(), 1); }
}
