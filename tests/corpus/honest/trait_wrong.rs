pub trait Shout {
    fn shout(&self) -> String;
}

impl<T: ToString + ?Sized> Shout for T {
    fn shout(&self) -> String {
        self.to_string() + "!"
    }
}
