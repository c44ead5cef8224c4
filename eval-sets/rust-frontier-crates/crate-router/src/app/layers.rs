//! Services and layers that know nothing of the router.

use super::model::{Borrowed, Shop, ShopError};
use crate::web::{
    service_fn, Body, BodyError, IntoResponse, Layer, Next, Rejection, Request, Response, Service, Stack,
};
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll};

/// Writes what happens to a log that it borrows.
pub struct Log<'l> {
    pub name: &'l str,
    pub lines: &'l Mutex<Vec<String>>,
}

pub struct Logged<'l, S> {
    inner: S,
    name: &'l str,
    lines: &'l Mutex<Vec<String>>,
}

impl<'l, S> Layer<S> for Log<'l> {
    type Service = Logged<'l, S>;
    fn layer(&self, inner: S) -> Logged<'l, S> {
        Logged { inner, name: self.name, lines: self.lines }
    }
}

impl<S, B> Service<Request<B>> for Logged<'_, S>
where
    S: Service<Request<B>>,
    B: Send,
{
    type Response = S::Response;
    type Error = S::Error;

    async fn call(&self, request: Request<B>) -> Result<S::Response, S::Error> {
        self.lines.lock().unwrap().push(format!("{}: {} {}", self.name, request.parts.method, request.parts.path));
        let result = self.inner.call(request).await;
        let end = if result.is_ok() { "ok" } else { "error" };
        self.lines.lock().unwrap().push(format!("{}: {end}", self.name));
        result
    }
}

/// A body that ends with an error after `left` bytes.
pub struct Limited<B> {
    body: B,
    left: usize,
}

impl<B: Body + Unpin> Body for Limited<B> {
    fn poll_chunk(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Vec<u8>, BodyError>>> {
        let chunk = std::task::ready!(Pin::new(&mut self.body).poll_chunk(context));
        Poll::Ready(match chunk {
            Some(Ok(bytes)) if bytes.len() > self.left => Some(Err(BodyError::new("too long"))),
            Some(Ok(bytes)) => {
                self.left -= bytes.len();
                Some(Ok(bytes))
            }
            other => other,
        })
    }
}

/// Changes the type of the body for what is inside.
#[derive(Clone)]
pub struct Limit(pub usize);

pub struct LimitService<S>(S, usize);

impl<S> Layer<S> for Limit {
    type Service = LimitService<S>;
    fn layer(&self, inner: S) -> LimitService<S> {
        LimitService(inner, self.0)
    }
}

impl<S, B> Service<Request<B>> for LimitService<S>
where
    S: Service<Request<Limited<B>>>,
    B: Body + Unpin,
{
    type Response = S::Response;
    type Error = S::Error;

    fn call(&self, request: Request<B>) -> impl std::future::Future<Output = Result<S::Response, S::Error>> + Send {
        let LimitService(inner, left) = self;
        inner.call(request.map_body(|body| Limited { body, left: *left }))
    }
}

/// Fails, without a response, when a header is missing.
pub struct Require(pub &'static str);

pub struct Required<S> {
    name: &'static str,
    inner: S,
}

#[derive(Debug, PartialEq)]
pub enum RequireError<E> {
    Missing(&'static str),
    Inner(E),
}

impl<S> Layer<S> for Require {
    type Service = Required<S>;
    fn layer(&self, inner: S) -> Required<S> {
        Required { name: self.0, inner }
    }
}

impl<S, R> Service<Request<R>> for Required<S>
where
    S: Service<Request<R>>,
    R: Send,
{
    type Response = S::Response;
    type Error = RequireError<S::Error>;

    async fn call(&self, request: Request<R>) -> Result<Self::Response, Self::Error> {
        if request.parts.headers.get(self.name).is_none() {
            return Err(RequireError::Missing(self.name));
        }
        self.inner.call(request).await.map_err(RequireError::Inner)
    }
}

/// Middlewares as functions.
pub async fn shout(request: Request<crate::web::AnyBody<'_>>, next: Next<'_>) -> Response {
    let mut response = next.run(request).await;
    response.body.make_ascii_uppercase();
    response
}

pub async fn guard<'r>(mut request: Request<crate::web::AnyBody<'r>>, next: Next<'r>) -> Result<Response, Rejection> {
    match request.parts.headers.get("X-Key") {
        Some("open") => {
            request.parts.extensions.insert("opened");
            super::handlers::tick().await;
            Ok(next.run(request).await)
        }
        Some(other) => Err(Rejection::new(401, format!("not {other}"))),
        None => Err(Rejection::new(401, "no key")),
    }
}

/// Middlewares that borrow the state of the router.
pub async fn counted(shop: &Shop, request: Request<crate::web::AnyBody<'_>>, next: Next<'_>) -> Result<Response, ShopError> {
    if shop.limits.items == 0 {
        return Err(ShopError::Full { limit: 0 });
    }
    super::handlers::tick().await;
    let mut response = next.run(request).await;
    response.headers.push("x-body", &shop.limits.body.to_string());
    Ok(response)
}

pub async fn titled<'s, T: Clone + Send + Sync + ToString>(
    state: &Borrowed<'s, T>,
    mut request: Request<crate::web::AnyBody<'_>>,
    next: Next<'_>,
) -> (u16, String) {
    request.parts.extensions.insert(state.list.len());
    let title: &'s str = state.title;
    let response = next.run(request).await;
    let all: Vec<String> = state.list.iter().map(T::to_string).collect();
    (response.status, format!("{title} {}: {}", all.concat(), String::from_utf8_lossy(&response.body)))
}

/// A stack of layers around a function, for requests that are not of HTTP.
pub fn numbers<'l>(
    log: &'l Mutex<Vec<i32>>,
) -> impl Service<i32, Response = (String, String), Error = std::num::TryFromIntError> + 'l {
    let stack = Stack::new().layer(double).layer(|inner| Kept { inner, log });
    stack.apply(service_fn(|number: i32| async move {
        let small = u8::try_from(number)?;
        super::handlers::tick().await;
        Ok(small.to_string())
    }))
}

pub struct Double<S>(S);

fn double<S>(inner: S) -> Double<S> {
    Double(inner)
}

impl<S: Service<i32>> Service<i32> for Double<S> {
    type Response = (S::Response, S::Response);
    type Error = S::Error;

    async fn call(&self, number: i32) -> Result<Self::Response, S::Error> {
        let first = self.0.call(number).await?;
        Ok((first, self.0.call(number * 2).await?))
    }
}

pub struct Kept<'l, S> {
    inner: S,
    log: &'l Mutex<Vec<i32>>,
}

impl<S> Service<i32> for Kept<'_, S>
where
    S: Service<i32, Response = String>,
{
    type Response = String;
    type Error = S::Error;

    async fn call(&self, number: i32) -> Result<String, S::Error> {
        self.log.lock().unwrap().push(number);
        self.inner.call(number).await
    }
}

/// Any service with errors that are responses, made a service without errors.
pub async fn answer<S, R>(service: &S, request: R) -> Response
where
    S: Service<R, Response: IntoResponse, Error: IntoResponse>,
{
    service.call(request).await.into_response()
}
