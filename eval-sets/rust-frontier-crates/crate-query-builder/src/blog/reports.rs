//! Groups, subqueries and expressions.

use super::schema::{posts, tags, users, Count, Photo};
use crate::sql::{avg, count, exists, from, max, sum, value, Bool, Error, Expr, FromRow, Int, Query, Source, Statement, Text};

pub fn counts<'q>(least: i64) -> Query<'q, impl Sized, (Text, Int)> {
    from(posts::table)
        .inner_join(tags::table, posts::id.eq(tags::post_id))
        .group_by((tags::label, posts::kind))
        .having(count(posts::id).gt(least))
        .having(sum(posts::score).is_null().not())
        .order(count(posts::id).desc())
        .select((tags::label, count(posts::id)))
        .limit(5)
        .limit(3)
}

pub fn load_counts<S: Source>(source: &S, least: i64) -> Result<Vec<Count>, Error> {
    counts(least).load::<Count>(source)
}

/// A subquery with its own binds, which are borrowed.
pub fn writers<'q>(title: &'q str, names: Vec<String>) -> Query<'q, impl Sized, Text> {
    let inner = from(posts::table).filter(posts::title.eq(title)).select(posts::user_id);
    let young = from(users::table).filter(users::age.lt(18)).select(users::name);
    from(users::table)
        .filter(users::id.in_query(inner))
        .filter(users::name.in_query(young).or(users::name.in_list(names)))
        .filter(exists(from(tags::table).select(tags::label)).not())
        .select(users::name)
}

/// Subqueries that use the tables of what is around them.
pub fn with_posts<'q>() -> Query<'q, impl Sized, (Text, Option<Int>)> {
    from(users::table)
        .filter_with(|outer| exists(outer.from(posts::table).filter(posts::user_id.eq(users::id)).filter(posts::title.ne(users::name)).select(posts::id)))
        .select((users::name, (users::age + 1) * users::id))
}

pub fn numbers<'q>() -> Query<'q, impl Sized, (Option<Int>, Option<Int>, Option<Int>, Int, Bool)> {
    from(posts::table).select((max(posts::score), avg(posts::id), sum(posts::id + posts::score), value(7), posts::hidden))
}

/// Statements of different types by reference.
pub fn all_sql(statements: &[&dyn Statement]) -> Vec<(String, usize)> {
    statements.iter().map(|statement| (statement.sql(), statement.binds().len())).collect()
}

pub fn one<'s, R, T>(query: &Query<'_, impl Sized, T>, source: &'s dyn Source) -> Result<Option<R::At<'s>>, Error>
where
    R: FromRow<T>,
{
    let mut rows = query.load::<R>(source)?;
    match rows.len() {
        0 | 1 => Ok(rows.pop()),
        many => Err(Error::Source(format!("{many} rows"))),
    }
}

pub fn photo(source: &dyn Source, id: i64) -> Result<Option<&[u8]>, Error> {
    let query = from(users::table).filter(users::id.eq(id)).select((users::photo,));
    Ok(one::<Photo, _>(&query, source)?.and_then(|photo| photo.bytes))
}
