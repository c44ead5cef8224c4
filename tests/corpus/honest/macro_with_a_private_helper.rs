macro_rules! product {
    ($left:expr, $right:expr) => {
        $left * $right
    };
}

macro_rules! square {
    ($value:expr) => {{
        let value = $value;
        product!(value, value)
    }};
}

pub(crate) use product;
pub(crate) use square;
