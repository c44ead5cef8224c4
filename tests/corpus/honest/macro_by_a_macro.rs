macro_rules! make {
    ($name:ident) => {
        #[macro_export]
        macro_rules! $name {
            ($value:expr) => {{
                let value = $value;
                value * value
            }};
        }
    };
}

make!(square);
