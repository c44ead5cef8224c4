"""Signatures and outlines: what is public, without bodies."""

from forgetest.rust.signatures import outline, signatures_of

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


SOLUTION = """\
//! How it is solved.
use std::collections::{HashMap, VecDeque};
use std::fmt;

/// A hint.
#[derive(Debug, Clone)]
pub struct Stack<T> {
    /// Hidden.
    items: VecDeque<T>, // hidden
    pub size: usize,
}
pub struct Wrapped(u32);
pub struct Open(pub u32, pub String);
pub enum Kind {
    A, // hidden
    B(u32),
}
pub trait Shape {
    fn area(&self) -> f64;
    fn twice(&self) -> f64 { 2.0 * self.area() }
}
impl<T> Stack<T> {
    pub fn new() -> Self { Stack { items: VecDeque::new(), size: 0 } }
    fn hidden(&self) {}
}
impl<T> fmt::Display for Stack<T> {}
fn hidden() -> u32 { 42 }
pub fn count(words: &HashMap<String, u32>) -> usize { words.len() }
"""


def test_an_outline_has_the_public_items_and_nothing_of_how_they_are_solved() -> None:
    assert (
        outline(SOLUTION)
        == """\
use std::collections::{HashMap, VecDeque};
#[derive(Debug, Clone)]
pub struct Stack<T> {
    pub size: usize,
}

pub struct Wrapped();

pub struct Open(pub u32, pub String);

pub enum Kind {
    A,
    B(u32),
}

pub trait Shape {
    fn area(&self) -> f64;
    fn twice(&self) -> f64 { todo!() }
}

impl<T> Stack<T> {
    pub fn new() -> Self { todo!() }
}

pub fn count(words: &HashMap<String, u32>) -> usize { todo!() }
"""
    )
    assert outline("fn hidden() {}") == ""
