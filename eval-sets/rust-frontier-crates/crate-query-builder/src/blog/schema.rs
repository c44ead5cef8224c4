//! Tables and rows.

use crate::sql::{row, table};

table! {
    /// People who write.
    pub users("people") { id: i64, name: str, age: Option<i64>, photo: Option<[u8]> }
    pub posts { id: i64, user_id: i64, title: str, kind("type"): str, score: Option<i64>, hidden: bool }
    pub tags { post_id: i64, label: str }
}

row! {
    /// A user, borrowed from where it comes from.
    #[derive(Debug, PartialEq, Clone, Copy)]
    pub struct User<'r> {
        pub id: i64,
        pub name: &'r str,
        pub age: Option<i64>,
    }
}

row! {
    #[derive(Debug, PartialEq)]
    pub struct Entry<'r> {
        pub user: User<'r>,
        pub title: Option<&'r str>,
        kind: Option<String>,
    }
}

row! {
    #[derive(Debug, PartialEq, Default)]
    pub struct Count {
        pub label: String,
        pub number: i64,
    }
}

row! {
    /// Neither `Debug` nor `Clone`.
    pub struct Photo<'r> {
        pub bytes: Option<&'r [u8]>,
    }
}

impl Entry<'_> {
    pub fn text(&self) -> String {
        let Entry { user: User { name, .. }, title, kind } = self;
        format!("{name}: {} ({})", title.unwrap_or("-"), kind.as_deref().unwrap_or("?"))
    }
}

/// Private tables in a function, with the same names as others.
pub fn local() -> String {
    use crate::sql::Expr;
    table! {
        users { id: i64, text: str }
    }
    let query = crate::sql::from(users::table).filter(users::text.eq("x")).select(users::all);
    query.sql()
}
