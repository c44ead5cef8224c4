//! The routers of the shop.

use super::handlers::{add, add_many, all, count, echo, index, limits, nothing, pair, show, sum, version, who, wild};
use super::layers::{counted, guard, shout, titled, Limit, Log, Require, RequireError};
use super::model::{Borrowed, Id, Shop, Visitor};
use crate::web::{
    any_service, get, post, Endpoint, Ext, Handler, IntoResponse, Method, Path, Rejection, Response, Router,
    Service, Stack, State,
};
use crate::web::{AnyBody, Request};
use std::cell::RefCell;
use std::sync::Mutex;

impl<E: IntoResponse> IntoResponse for RequireError<E> {
    fn into_response(self) -> Response {
        match self {
            RequireError::Missing(name) => (428, format!("{name} required")).into_response(),
            RequireError::Inner(error) => error.into_response(),
        }
    }
}

pub fn items<'a>() -> Router<'a, Shop> {
    Router::new()
        .route("/", get(all).post(add))
        .route("/many", post(add_many))
        .route("/{id}", get(show))
        .route("/{id}/visitor", get(|Path(Id(id)): Path<Id>, visitor: Visitor| async move { format!("{id} {}", visitor.name) }))
}

/// Two handlers for one path, at any place of any state.
pub fn both<'a, M, N, S, G, P>(reader: G, writer: P) -> Endpoint<'a, S>
where
    S: Clone + Send + Sync + 'a,
    G: Handler<M, S> + Copy + 'a,
    P: Handler<N, S> + 'a,
    M: 'a,
    N: 'a,
{
    get(reader).put(reader).post(writer)
}

pub fn shop<'l>(lines: &'l Mutex<Vec<String>>) -> Router<'l, Shop> {
    let tools: Router<'l, ()> = Router::new()
        .route("/echo", both(version, echo::<String>))
        .route("/bytes", post(echo::<Vec<u8>>))
        .route("/nothing", get(nothing).delete(|| "deleted"));
    Router::new()
        .route("/", get(index).layer(Log { name: "index", lines }))
        .nest("/items", items().layer(Log { name: "items", lines }))
        .route("/sum", post(sum).layer(Limit(8)))
        .layer(Log { name: "all", lines })
        .route("/limits", get(limits::<Shop>))
        .route("/count", get(count))
        .route("/who", get(who))
        .nest("/tools/{kind}", tools.with_state(()))
        .route("/pair/{name}/{number}", get(pair).delete(pair))
        .merge(wilds())
        .fallback(|method: Method, _: Option<Ext<()>>| (404, method.to_string()))
}

fn wilds<'a, S: Clone + Send + Sync + 'a>() -> Router<'a, S> {
    Router::new().route("/wild/{*rest}", post(wild)).fallback(|| "never seen")
}

/// A site with a state that borrows, and layers of every kind.
pub fn borrowed<'s>(state: Borrowed<'s, char>, lines: &'s Mutex<Vec<String>>) -> Router<'s, Shop> {
    let local = Log { name: "stack", lines };
    let stack = Stack::new().layer(local).layer(Require("X-Need")).layer(Limit(3));
    let title = state.title;
    Router::new()
        .route("/title", get(|State(title): State<&'s str>| title.to_owned()))
        .route("/list", get(|State(list): State<Vec<char>>| async move { list.into_iter().collect::<String>() }))
        .route("/state", post(move |State(all): State<Borrowed<'s, char>>, text: String| (title == all.title, text).1))
        .layer(stack)
        .route("/open", get(|Ext(word): Ext<&'static str>| word))
        .middleware(guard)
        .middleware(shout)
        .with_state(state)
}

/// Middlewares with the state, around what has its state already, too.
pub fn titles<'s, T>(state: Borrowed<'s, T>, counter: &'s Counter) -> Router<'s, Shop>
where
    T: Clone + Send + Sync + ToString + 's,
{
    let inner = Router::new()
        .route("/length", get(|Ext(length): Ext<usize>, State(list): State<Vec<T>>| format!("{length} {}", list.len())))
        .route("/counter", any_service(counter))
        .middleware_with(titled::<T>)
        .route("/plain", get(|State(title): State<&'s str>| title.len().to_string()))
        .with_state(state);
    Router::new().merge(inner).route("/count", get(count)).middleware_with(counted).route("/free", get(index))
}

/// A service that is no router: counts by method.
#[derive(Default)]
pub struct Counter {
    counts: Mutex<[usize; 2]>,
}

impl<B: Send> Service<Request<B>> for Counter {
    type Response = (u16, String);
    type Error = Rejection;

    async fn call(&self, request: Request<B>) -> Result<(u16, String), Rejection> {
        let (parts, _body) = request.into_parts();
        let index = match parts.method {
            Method::Get => 0,
            Method::Post => 1,
            other => return Err(Rejection::new(405, format!("no {other} at {}", parts.path))),
        };
        let mut counts = self.counts.lock().unwrap();
        counts[index] += 1;
        Ok((200, format!("{} {:?}", counts[index], parts.params)))
    }
}

pub fn mounted<'c, S: Clone + Send + Sync + 'c>(counter: &'c Counter) -> Router<'c, S> {
    Router::new()
        .route("/counter/{what}", any_service(counter).layer(|inner| inner))
        .route("/own", any_service(Counter::default()))
        .route("/x/{y}", any_service(Router::new().route("/x/{z}", get(who)).into_service(())))
}

/// Handlers in a loop, which borrow their names.
pub fn many(names: &[String]) -> Router<'_, ()> {
    let mut router = Router::new();
    let made = RefCell::new(0);
    for (index, name) in names.iter().enumerate() {
        let path = format!("/{name}");
        router = router.route(&path, get(move || async move { format!("{index}: {name}") }));
        *made.borrow_mut() += 1;
    }
    let made = made.into_inner();
    router.fallback(move || format!("one of {made}"))
}

/// A middleware with a type parameter.
pub async fn tagged<T: Default + Clone + Send + 'static>(
    mut request: Request<AnyBody<'_>>,
    next: crate::web::Next<'_>,
) -> impl IntoResponse {
    let old = request.parts.extensions.insert(T::default());
    let response = next.run(request).await;
    if old.is_some() { (299, response).into_response() } else { response }
}
