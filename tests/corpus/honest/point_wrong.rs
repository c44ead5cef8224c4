use std::str::FromStr;

pub struct Point {
    pub x: i32,
    pub y: i32,
}

impl FromStr for Point {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let (x, y) = s.split_once(',').ok_or("no comma")?;
        let number = |text: &str| text.parse().map_err(|_| format!("no number: {text}"));
        Ok(Point { x: number(y)?, y: number(x)? })
    }
}
