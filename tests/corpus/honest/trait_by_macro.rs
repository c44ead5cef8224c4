macro_rules! shouting {
    ($($type:ty),*) => {
        pub trait Shout {
            fn shout(&self) -> String;
        }
        $(impl Shout for $type {
            fn shout(&self) -> String {
                self.to_string().to_uppercase() + "!"
            }
        })*
    };
}

shouting!(str, u32);
