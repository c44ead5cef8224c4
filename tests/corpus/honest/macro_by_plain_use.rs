macro_rules! square {
    ($value:expr) => {{
        let value = $value;
        value * value
    }};
}

#[allow(unused_imports)]
use square;
