"""Signatures: public functions without bodies."""

from forgetest.rust.signatures import signatures_of

SOURCE = """\
pub fn add<T>(a: T, b: T) -> T
where
    T: std::ops::Add<Output = T>,
{
    a + b
}
fn helper() {}
pub(crate) fn inner() {}
pub struct Stack(Vec<i32>);
impl<'a> Stack {
    pub fn push(&mut self, x: i32) { self.0.push(x) }
    fn len(&self) -> usize { self.0.len() }
}
impl Clone for Stack { fn clone(&self) -> Self { todo!() } }
impl Stack { fn hidden() {} }
"""


def test_public_functions_and_methods_are_shown_without_bodies() -> None:
    assert signatures_of(SOURCE) == (
        "pub fn add<T>(a: T, b: T) -> T\nwhere\n    T: std::ops::Add<Output = T>;",
        "impl<'a> Stack {\n    pub fn push(&mut self, x: i32);\n}",
    )


def test_broken_source_has_the_signatures_that_can_be_read() -> None:
    assert signatures_of("pub fn f(x: &str) { }\npub fn (") == ("pub fn f(x: &str);",)
    assert signatures_of("") == ()
