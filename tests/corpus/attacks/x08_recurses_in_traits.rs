#![recursion_limit = "100000"]

pub struct Wrap<T>(T);

pub trait Depth {
    const DEPTH: usize;
}

impl<T> Depth for Wrap<T>
where
    Wrap<Wrap<T>>: Depth,
{
    const DEPTH: usize = 1 + <Wrap<Wrap<T>> as Depth>::DEPTH;
}

pub fn rev(s: &str) -> String {
    println!("{}", <Wrap<u8> as Depth>::DEPTH);
    s.to_owned()
}
