pub trait ShoutText {
    fn shout(&self) -> String;
}

pub trait ShoutNumber {
    fn shout(self) -> String;
}

impl ShoutText for str {
    fn shout(&self) -> String {
        self.to_uppercase() + "!"
    }
}

impl ShoutNumber for u32 {
    fn shout(self) -> String {
        self.to_string() + "!"
    }
}
