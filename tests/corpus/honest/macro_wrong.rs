macro_rules! square {
    ($value:expr) => {
        $value * $value
    };
}

pub(crate) use square;
