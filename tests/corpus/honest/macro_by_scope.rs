macro_rules! square {
    ($value:expr) => {{
        let value = $value;
        value * value
    }};
}
