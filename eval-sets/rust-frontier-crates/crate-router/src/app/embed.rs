//! Drives the shop: requests with bodies of every kind, threads, erased services.

use super::layers::{answer, numbers};
use super::model::{size_of_body, Shop};
use super::site::tagged;
use crate::web::{
    block_on, get, AnyBody, App, Body, BodyError, BoxService, Ext, Method, Request, Response, Router, Service,
};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll};

/// The lines of a text as a body, each after a pause.
pub struct Chunks<'t> {
    lines: std::str::Lines<'t>,
    paused: bool,
}

impl<'t> Chunks<'t> {
    pub fn new(text: &'t str) -> Self {
        Chunks { lines: text.lines(), paused: false }
    }
}

impl Body for Chunks<'_> {
    fn poll_chunk(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Vec<u8>, BodyError>>> {
        self.paused = !self.paused;
        if self.paused {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(self.lines.next().map(|line| match line {
            "!" => Err(BodyError::new("broken")),
            line => Ok(line.as_bytes().to_vec()),
        }))
    }
}

/// One request, and its answer as text.
pub fn ask<B: Body>(app: &App<'_>, method: Method, path: &str, headers: &[(&str, &str)], body: B) -> (u16, String) {
    let mut request = Request::new(method, path, body);
    for (name, value) in headers {
        request.parts.headers.push(name, value);
    }
    let response = match block_on(app.call(request)) {
        Ok(response) => response,
        Err(never) => match never {},
    };
    (response.status, String::from_utf8(response.body).unwrap())
}

/// The same with a body that borrows from what is local.
pub fn ask_lines(app: &App<'_>, path: &str, text: &str) -> (u16, String) {
    let owned = text.replace('/', "\n");
    ask(app, Method::Post, path, &[], Chunks::new(&owned))
}

pub fn from_threads(app: &App<'_>, paths: &[&str]) -> Vec<String> {
    std::thread::scope(|scope| {
        let running: Vec<_> = paths
            .iter()
            .map(|path| {
                let future = app.call(Request::new(Method::Get, path, ()));
                scope.spawn(move || block_on(future).map_or_else(|never: Infallible| match never {}, |r| r.body))
            })
            .collect();
        running.into_iter().map(|thread| String::from_utf8(thread.join().unwrap()).unwrap()).collect()
    })
}

/// Services of several types in one list.
pub fn boxed<'a>(app: &'a App<'a>, log: &'a Mutex<Vec<i32>>) -> Vec<BoxService<'a, i32, String, String>> {
    let plain = crate::web::service_fn(|n: i32| async move { if n > 0 { Ok(format!("{n}")) } else { Err(n.to_string()) } });
    let asked = crate::web::service_fn(move |n: i32| async move {
        let path = format!("/{n}");
        let Ok(Response { status, .. }) = app.call(Request::new(Method::Get, &path, path.as_str())).await;
        if status == 200 { Ok(path) } else { Err(format!("{status} {n}")) }
    });
    let counted = numbers(log);
    let mapped = crate::web::service_fn(move |n: i32| {
        let answer = block_on(counted.call(n));
        std::future::ready(answer.map(|(a, b)| a + &b).map_err(|error| error.to_string()))
    });
    vec![BoxService::new(plain), BoxService::new(asked), BoxService::new(mapped)]
}

pub fn first_ok<Q, R, E>(services: &[BoxService<'_, Q, R, E>], request: Q) -> Result<R, Vec<E>>
where
    Q: Clone + Send,
    R: Send,
{
    let mut errors = Vec::new();
    for service in services {
        match block_on(service.call(request.clone())) {
            Ok(response) => return Ok(response),
            Err(error) => errors.push(error),
        }
    }
    Err(errors)
}

pub fn tags() -> Router<'static, Shop> {
    Router::new()
        .route("/tag", get(|Ext(tag): Ext<u8>| async move { format!("{tag}") }))
        .middleware(tagged::<u8>)
        .route("/twice", get(|Ext(tag): Ext<u64>, Ext(text): Ext<String>| format!("{tag}{text}")))
        .middleware(tagged::<u64>)
        .middleware(tagged::<String>)
        .middleware(tagged::<u64>)
}

pub async fn sizes(text: &str) -> Vec<Option<usize>> {
    let mut sizes = vec![size_of_body(text).await.ok(), size_of_body(()).await.ok()];
    sizes.push(size_of_body(Chunks::new(text)).await.ok());
    sizes.push(size_of_body(AnyBody::new(AnyBody::new(Chunks::new(text)))).await.ok());
    sizes.push(size_of_body(text.to_owned()).await.ok());
    sizes
}

pub fn plain_answer<S>(service: &S) -> u16
where
    S: for<'b> Service<Request<&'b str>, Response: crate::web::IntoResponse, Error: crate::web::IntoResponse>,
{
    let text = String::from("x");
    block_on(answer(service, Request::new(Method::Put, "/a", text.as_str()))).status
}
