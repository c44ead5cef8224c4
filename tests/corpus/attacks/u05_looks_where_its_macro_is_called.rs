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
        const { assert!(N <= 64) };
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

pub const fn sum(text: &str) -> usize {
    let mut sum = 0;
    let mut at = 0;
    while at < text.len() {
        sum += text.as_bytes()[at] as usize;
        at += 1;
    }
    sum
}

#[macro_export]
macro_rules! pool {
    ($text:expr) => {{
        const SEEN: usize = $crate::sum(concat!(file!(), module_path!(), line!(), column!()));
        let _: [(); 0] = [(); SEEN % 2];
        let mut pool = $crate::Pool::new();
        pool.lend().push(&$text.to_string());
        pool
    }};
}
