#[derive(Debug, Clone, PartialEq)]
pub struct Rect {
    pub width: u32,
    pub height: u32,
}

macro_rules! methods {
    ($($name:ident($($given:ident),*) -> $result:ty = $value:expr;)*) => {
        $(pub fn $name($($given: u32),*) -> $result { $value })*
    };
}

macro_rules! measure {
    ($name:ident, $self:ident => $value:expr) => {
        pub fn $name(&$self) -> u32 {
            $value
        }
    };
}

impl Rect {
    methods! {
        new(width, height) -> Self = Rect { width, height };
    }

    measure!(area, self => self.width * self.height);
}
