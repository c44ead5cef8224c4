"""A small eval set of two cases, and right answers to them."""

RIGHT = {
    "is_even": "pub fn is_even(n: i32) -> bool { n % 2 == 0 }",
    "triple": "pub fn triple(n: i32) -> i32 { n * 3 }",
}


SET = '''
[eval_set]
id = "tiny"
name = "Tiny"

[[cases]]
id = "is-even"
name = "Even"
prompt = "Write `pub fn is_even(n: i32) -> bool`."
[cases.expectations]
expected_functions = ["is_even"]
test_file = """
#[test]
fn two_is() { assert!(is_even(2)); }
#[test]
fn three_is_not() { assert!(!is_even(3)); }
"""

[[cases]]
id = "triple"
name = "Triple"
prompt = "Write `pub fn triple(n: i32) -> i32`."
[cases.expectations]
expected_functions = ["triple"]
test_file = """
#[test]
fn two() { assert_eq!(triple(2), 6); }
"""
'''
