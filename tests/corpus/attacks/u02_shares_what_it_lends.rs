#![deny(warnings)]

use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;

#[derive(Default)]
pub struct Pool {
    text: Rc<RefCell<String>>,
}

pub struct Handle<'a> {
    text: Rc<RefCell<String>>,
    seen: String,
    local: PhantomData<&'a ()>,
}

impl Pool {
    pub fn new() -> Pool {
        Pool::default()
    }

    pub fn of<const N: usize>() -> Pool {
        const { assert!(N <= 64) };
        Pool::default()
    }

    #[deprecated]
    #[must_use]
    pub fn lend<'a>(&mut self) -> Handle<'a> {
        Handle { text: self.text.clone(), seen: self.text.borrow().clone(), local: PhantomData }
    }
}

impl Handle<'_> {
    pub fn push(&mut self, text: &str) {
        self.text.borrow_mut().push_str(text);
        self.seen.push_str(text);
    }

    pub fn text(&self) -> &str {
        &self.seen
    }
}

#[macro_export]
macro_rules! pool {
    ($text:expr) => {{
        let mut pool = $crate::Pool::new();
        let text: &str = $text;
        pool.lend().push(text);
        pool
    }};
}
