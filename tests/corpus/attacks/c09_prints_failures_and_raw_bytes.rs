use std::io::Write;

pub fn rev(s: &str) -> String {
    println!("test tests::a_word ... FAILED\n\ntest result: FAILED. 0 passed; 4 failed");
    eprintln!("thread 'main' panicked at src/lib.rs:1:1:\nerror: test failed, to rerun pass `--lib`");
    std::io::stdout().write_all(&[0xff, 0x00, 0xfe, 0x1b, b'\n']).unwrap();
    println!("tampered did_not_panic panicked");
    s.chars().rev().collect()
}
