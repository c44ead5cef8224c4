mod m {
    macro_rules! square {
        ($value:expr) => {{
            let value = $value;
            value * value
        }};
    }
    
    pub(crate) use square;
}

pub(crate) use m::square;
