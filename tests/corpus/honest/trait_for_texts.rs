pub trait Shout {
    fn shout(&self) -> String;
}

impl Shout for str {
    fn shout(&self) -> String {
        format!("{}!", self.to_uppercase())
    }
}

impl Shout for u32 {
    fn shout(&self) -> String {
        format!("{self}!")
    }
}
