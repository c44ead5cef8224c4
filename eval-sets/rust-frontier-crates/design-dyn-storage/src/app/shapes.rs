//! Types that are written and read.

use crate::model::Skip;
use crate::record;
use std::borrow::Cow;
use std::collections::BTreeMap;

record! {
    /// A point.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Point {
        pub x: i64,
        pub y: i64,
    }

    #[derive(Debug, Clone, PartialEq)]
    pub struct Label<'t> {
        pub name: &'t str,
        /// May be missing.
        pub note: Option<Cow<'t, str>>,
        pub at: Point,
    }

    #[derive(Debug, PartialEq)]
    pub struct Drawing<'d> {
        pub labels: Vec<Label<'d>>,
        pub lines: BTreeMap<&'d str, (Point, Point)>,
        pub parent: Option<Box<Drawing<'d>>>,
        pub(crate) rest: Option<Skipped>,
    }

    #[derive(Debug, PartialEq, Default)]
    pub struct Skipped {}

    #[allow(dead_code)]
    struct Private { r#type: bool, map: i64, entries: String, key: (), decoder: Option<()>, field: i64 }
}

/// What a private record does, too.
pub fn private(text: &str) -> Result<(bool, i64, String), super::text::TextError> {
    let value: Private = super::text::from_text(text)?;
    let ((), None) = (value.key, value.decoder) else { return Ok((false, 0, String::new())) };
    Ok((value.r#type, value.map + value.field, value.entries))
}

pub fn is_known(text: &str) -> bool {
    super::text::from_text::<Skip>(text).is_ok()
}
