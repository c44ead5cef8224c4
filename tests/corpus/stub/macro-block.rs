#[macro_export]
macro_rules! hm { ($($k:expr => $v:expr),* $(,)?) => {{ let mut m = ::std::collections::HashMap::new(); $(m.insert($k, $v);)* m }}; }
