//! State, errors and extractors of the shop.

use crate::web::{
    collect, header, state, AnyBody, Body, FromParts, FromRef, FromRequest, Header, IntoResponse, Parts, PathError,
    Rejection, Request, Response,
};
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub id: u32,
    pub name: String,
}

/// Neither `Clone` nor `Debug`.
#[derive(Default)]
pub struct Store {
    items: Mutex<Vec<Item>>,
}

impl Store {
    pub fn add(&self, name: &str) -> u32 {
        let mut items = self.items.lock().unwrap();
        let id = items.len() as u32 + 1;
        items.push(Item { id, name: name.to_owned() });
        id
    }

    pub fn find(&self, id: u32) -> Option<Item> {
        self.items.lock().unwrap().iter().find(|item| item.id == id).cloned()
    }

    pub async fn names(&self) -> Vec<String> {
        self.items.lock().unwrap().iter().map(|item| item.name.clone()).collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    pub body: usize,
    pub items: usize,
}

#[derive(Clone, Default)]
pub struct Hits(pub Arc<AtomicUsize>);

state! {
    /// What the shop needs.
    #[derive(Clone)]
    pub struct Shop {
        pub store: Arc<Store>,
        pub limits: Limits,
        pub hits: Hits,
    }
}

state! {
    #[derive(Clone)]
    pub struct Borrowed<'s, T: Clone> {
        pub title: &'s str,
        pub list: Vec<T>,
    }
}

impl Shop {
    pub fn new(limits: Limits) -> Self {
        Shop { store: Arc::default(), limits, hits: Hits::default() }
    }
}

header! {
    /// Who asks.
    pub User = "x-user";
    pub Trace = "x-trace";
}

#[derive(Debug)]
pub enum ShopError {
    NoItem(u32),
    Full { limit: usize },
    Refused(Rejection),
    Io(std::io::Error),
}

impl From<Rejection> for ShopError {
    fn from(rejection: Rejection) -> Self {
        ShopError::Refused(rejection)
    }
}

impl From<std::io::Error> for ShopError {
    fn from(error: std::io::Error) -> Self {
        ShopError::Io(error)
    }
}

impl IntoResponse for ShopError {
    fn into_response(self) -> Response {
        match self {
            ShopError::NoItem(id) => (404, format!("no item {id}")).into_response(),
            ShopError::Full { limit } => (409, format!("only {limit} items")).into_response(),
            ShopError::Refused(rejection) => {
                let mut response = rejection.into_response();
                response.headers.push("x-refused", "1");
                response
            }
            ShopError::Io(error) => (500, error.to_string()).into_response(),
        }
    }
}

/// A number that is never 0, for paths.
#[derive(Debug, PartialEq, Clone, Copy)]
pub struct Id(pub u32);

impl FromStr for Id {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        match s.parse() {
            Ok(0) | Err(_) => Err(format!("bad id {s}")),
            Ok(id) => Ok(Id(id)),
        }
    }
}

/// An extractor from the parts, by way of the state.
pub struct Visitor {
    pub name: String,
    pub number: usize,
}

impl<S> FromParts<S> for Visitor
where
    S: Sync,
    Hits: FromRef<S>,
{
    type Rejection = ShopError;

    async fn from_parts(parts: &mut Parts, state: &S) -> Result<Self, ShopError> {
        let Header(name, _) = Header::<User>::from_parts(parts, state).await?;
        let Hits(hits) = Hits::from_ref(state);
        parts.extensions.insert(name.len());
        Ok(Visitor { name, number: hits.fetch_add(1, Ordering::Relaxed) + 1 })
    }
}

/// An extractor of the body: lines of `T`, at most `Limits::items`.
pub struct Lines<T>(pub Vec<T>);

impl<S, T> FromRequest<S> for Lines<T>
where
    S: Sync,
    T: FromStr<Err: fmt::Display> + Send,
    Limits: FromRef<S>,
{
    type Rejection = ShopError;

    async fn from_request(request: Request<AnyBody<'_>>, state: &S) -> Result<Self, ShopError> {
        let limit = Limits::from_ref(state).items;
        let text = String::from_request(request, state).await?;
        let mut lines = Vec::new();
        for line in text.lines() {
            if lines.len() == limit {
                return Err(ShopError::Full { limit });
            }
            lines.push(line.parse().map_err(|e: T::Err| Rejection::new(422, e.to_string()))?);
        }
        Ok(Lines(lines))
    }
}

/// Only the size of a body of any kind.
pub async fn size_of_body<B: Body>(body: B) -> Result<usize, Rejection> {
    let bytes: Vec<u8> = collect(body).await?;
    Ok(bytes.len())
}

pub fn explain(error: PathError) -> String {
    match error {
        PathError::Count { wanted, found } => format!("{found} instead of {wanted} values"),
        PathError::Parse { index, message } => format!("value {index}: {message}"),
    }
}
