#[derive(Debug, Clone, PartialEq)]
pub struct Rect {
    pub width: u32,
    pub height: u32,
}

pub trait Shape {
    fn area(&self) -> u32;
}

impl Rect {
    pub fn new(width: u32, height: u32) -> Self {
        Rect { width, height }
    }
}

impl Shape for Rect {
    fn area(&self) -> u32 {
        self.width * self.height
    }
}
