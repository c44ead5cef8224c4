#[macro_use]
mod shapes {
    macro_rules! reversed {
        ($text:expr) => {
            crate::inner::collected($text.chars().rev())
        };
    }
}

mod inner {
    pub(crate) fn collected(letters: impl Iterator<Item = char>) -> String {
        crate::glue!(letters)
    }
}

#[macro_export]
macro_rules! glue {
    ($letters:expr) => {
        $letters.collect::<::std::string::String>()
    };
}

#[allow(unused_imports)]
use inner as outer;

pub fn rev(s: &str) -> String {
    reversed!(s)
}
