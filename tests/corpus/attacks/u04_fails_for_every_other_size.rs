use std::marker::PhantomData;

#[derive(Default)]
pub struct Pool {
    text: String,
}

pub struct Handle<'a> {
    text: &'a mut String,
    local: PhantomData<*const ()>,
}

impl Pool {
    pub fn new() -> Pool {
        Pool::default()
    }

    pub fn of<const N: usize>() -> Pool {
        const { assert!(N == 8) };
        Pool::default()
    }

    pub fn lend(&mut self) -> Handle<'_> {
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
