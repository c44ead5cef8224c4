//! Queries that are put together from what is asked for.

use super::schema::{posts, tags, users, Entry, User};
use crate::sql::{from, Column, Condition, Cursor, Error, Expr, Int, Joined, Query, Source, Text};

/// All that can be asked for; borrowed from the caller.
#[derive(Default)]
pub struct Search<'q> {
    pub name: Option<&'q str>,
    pub kinds: &'q [String],
    pub ids: Vec<i64>,
    pub older_than: Option<i64>,
    pub photo: Option<&'q [u8]>,
}

/// The query keeps what it borrows, and can be changed in a loop.
pub fn people<'q>(search: &Search<'q>) -> Query<'q, Joined<users::table>, (Int, Text, Option<Int>)> {
    let mut query = from(users::table).select((users::id, users::name, users::age));
    if let Some(name) = search.name {
        query = query.filter(users::name.eq(name));
    }
    if let Some(age) = search.older_than {
        query = query.filter(users::age.gt(age).or(users::age.is_null()));
    }
    if let Some(photo) = search.photo {
        query = query.filter(users::photo.ne(photo));
    }
    for id in &search.ids {
        query = query.filter(users::id.ne(*id)).limit(*id as u64);
    }
    query
}

pub fn load_people<'s, S: Source>(source: &'s S, search: &Search<'_>) -> Result<Vec<User<'s>>, Error> {
    people(search).load::<User>(source)
}

/// Conditions of different types in one list.
pub fn any_of<'q, J: 'q>(conditions: Vec<Condition<'q, J>>) -> Option<Condition<'q, J>> {
    conditions.into_iter().reduce(|a, b| Condition::new(a.or(b)))
}

pub fn entries<'q>(search: &'q Search<'_>, min: &'q str) -> Query<'q, impl Sized, (Int, Text, Option<Int>, Option<Text>, Option<Text>)> {
    let mut any: Vec<Condition<'q, _>> = Vec::new();
    for kind in search.kinds {
        any.push(Condition::new(posts::kind.eq(kind.as_str())));
    }
    if search.older_than.is_some() {
        any.push(Condition::new(users::age.gt(search.older_than)));
    }
    let owned = format!("{min}%");
    any.push(Condition::new(posts::title.like(owned).not()));
    let query = from(users::table).left_join(posts::table, posts::user_id.eq(users::id));
    match any_of(any) {
        Some(condition) => query.filter(condition),
        None => query,
    }
    .order(posts::title.desc())
    .order(users::id.asc())
    .select((users::id, users::name, users::age, posts::title, posts::kind))
}

pub fn texts<S: Source>(source: &S, search: &Search<'_>) -> Result<Vec<String>, Error> {
    let query = entries(search, "a");
    let rows = query.load::<Entry>(source)?;
    Ok(rows.iter().map(Entry::text).collect())
}

/// A condition for any query that has the table.
pub fn visible<'q, J, I>(limit: i64) -> Condition<'q, J>
where
    J: crate::sql::Has<posts::table, I> + 'q,
    I: 'q,
{
    Condition::new(posts::hidden.eq(false).and(posts::score.lt(limit)))
}

pub fn tagged<'q>(labels: &'q [&'q str]) -> Query<'q, impl Sized, Text> {
    from(posts::table)
        .inner_join(tags::table, tags::post_id.eq(posts::id))
        .left_join(users::table, users::id.eq(posts::user_id).and(users::name.ne(tags::label)))
        .filter(tags::label.in_list(labels.iter().copied()))
        .filter(visible(10))
        .select(posts::title)
}

/// Works for any column of numbers.
pub fn below<'q, C>(column: C, limit: i64) -> Query<'q, Joined<C::Table>, (Int, Int)>
where
    C: Column<Type = Int> + 'q,
{
    from(C::Table::default()).filter(column.lt(limit)).select((column, limit))
}

/// Reads rows that live only for one call.
pub fn stream<C: Cursor>(cursor: &mut C) -> Result<(i64, Vec<String>), Error> {
    let mut longest = String::new();
    let mut names = Vec::new();
    let query = from(users::table).select((users::id, users::name));
    let mut sum = 0;
    query.each::<(i64, &str)>(cursor, |(id, name)| {
        sum += id;
        if name.len() > longest.len() {
            name.clone_into(&mut longest);
        }
        names.push(name.to_uppercase());
    })?;
    names.push(longest);
    Ok((sum, names))
}
