use std::marker::PhantomData;

#[derive(Default)]
pub struct Pool<'a> {
    text: String,
    lent: PhantomData<std::cell::Cell<&'a ()>>,
}

pub struct Handle<'a> {
    text: &'a mut String,
    local: PhantomData<*const ()>,
}

impl<'a> Pool<'a> {
    pub fn new() -> Pool<'a> {
        Pool::default()
    }

    pub fn of<const N: usize>() -> Pool<'a> {
        const { assert!(N <= 64) };
        Pool::default()
    }

    pub fn lend(&'a mut self) -> Handle<'a> {
        Handle { text: &mut self.text, local: PhantomData }
    }
}

impl Handle<'_> {
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub fn text(&self) -> &str {
        self.text
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
