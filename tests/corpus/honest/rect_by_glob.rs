mod g {
    #[derive(Debug, Clone, PartialEq)]
    pub struct Rect {
        pub width: u32,
        pub height: u32,
    }

    impl Rect {
        pub fn new(width: u32, height: u32) -> Self {
            Rect { width, height }
        }

        pub fn area(&self) -> u32 {
            self.width * self.height
        }
    }
}

pub use g::*;
