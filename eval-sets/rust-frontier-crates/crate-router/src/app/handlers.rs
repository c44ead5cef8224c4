//! Handlers: async and plain functions of up to four extractors, of which only the last may take the body.

use super::model::{explain, Hits, Id, Limits, Lines, Shop, ShopError, Store, Trace, User, Visitor};
use crate::web::{Ext, FromRef, FromRequest, Header, IntoResponse, Method, Path, PathError, Paths, Rejection, Response, State};
use std::sync::atomic::Ordering;
use std::sync::Arc;

pub async fn index() -> &'static str {
    "the shop"
}

pub fn version() -> (u16, String) {
    (203, "v1".to_owned())
}

pub fn nothing() {}

pub async fn show(Path(Id(id)): Path<Id>, State(store): State<Arc<Store>>) -> Result<String, ShopError> {
    let item = store.find(id).ok_or(ShopError::NoItem(id))?;
    tick().await;
    Ok(item.name)
}

pub async fn add(State(store): State<Arc<Store>>, visitor: Visitor, Ext(length): Ext<usize>, name: String) -> Result<(u16, String), ShopError> {
    if name.is_empty() {
        return Err(std::io::Error::other("empty name").into());
    }
    let id = store.add(&name);
    Ok((201, format!("{id} by {} ({}, {length})", visitor.name, visitor.number)))
}

pub fn add_many(State(shop): State<Shop>, Lines(names): Lines<String>) -> String {
    let ids: Vec<String> = names.iter().map(|name| shop.store.add(name).to_string()).collect();
    ids.join(",")
}

pub async fn sum(Lines(numbers): Lines<i64>) -> impl IntoResponse {
    let sum: i64 = numbers.iter().sum();
    (200, sum.to_string())
}

pub async fn all(State(store): State<Arc<Store>>) -> Response {
    let names = store.names().await;
    names.join("\n").into_response()
}

pub fn who(user: Option<Header<User>>, trace: Result<Header<Trace>, Rejection>) -> String {
    let user = user.map_or("nobody".to_owned(), |Header(name, _)| name);
    match trace {
        Ok(Header(trace, _)) => format!("{user} {trace}"),
        Err(rejection) => format!("{user} {} {}", rejection.status(), rejection.message()),
    }
}

pub async fn pair(path: Result<Paths<(String, u8)>, PathError>, method: Method) -> String {
    match path {
        Ok(Paths((name, number))) => format!("{method} {name} {number}"),
        Err(error) => explain(error),
    }
}

pub fn wild(Path(rest): Path<String>, bytes: Vec<u8>) -> Result<Vec<u8>, Rejection> {
    if rest == "secret" {
        return Err(Rejection::new(403, "secret"));
    }
    Ok(bytes.into_iter().rev().chain(rest.bytes()).collect())
}

/// A handler for every state that has limits.
pub async fn limits<S>(State(state): State<S>) -> String
where
    Limits: FromRef<S>,
{
    let limits = Limits::from_ref(&state);
    format!("{limits:?}")
}

/// A handler that is generic in its body.
pub async fn echo<T>(body: T) -> String
where
    T: std::fmt::Debug + FromRequest<()>,
{
    format!("{body:?}")
}

pub fn count(State(Hits(hits)): State<Hits>) -> String {
    hits.load(Ordering::Relaxed).to_string()
}

/// Gives way once.
pub async fn tick() {
    let mut done = false;
    std::future::poll_fn(move |context| {
        if std::mem::replace(&mut done, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await
}
