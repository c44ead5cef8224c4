//! Stages that wait.

use super::text::{number, Bad, Words};
use crate::{async_stage, ready, stage, AsyncStage, BoxedAsync, Of, Own, Ref, Stage};
use std::cell::RefCell;
use std::future::{poll_fn, Future};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Is pending that often.
pub async fn wait(times: usize) {
    let mut left = times;
    poll_fn(|_| {
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        Poll::Pending
    })
    .await
}

/// Polls until it is done, and says how often.
pub fn block_on<F: Future>(future: F) -> (F::Output, usize) {
    let mut future = pin!(future);
    let mut polls = 0;
    loop {
        polls += 1;
        if let Poll::Ready(out) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return (out, polls);
        }
    }
}

pub type Log = Rc<RefCell<Vec<String>>>;

/// The text without its first word, later.
pub fn rest<'c>(log: &'c Log) -> impl AsyncStage<In = Ref<str>, Out = Ref<str>, Error = Bad<'c>> + 'c {
    async_stage::<Ref<str>, Ref<str>, Bad<'c>, _>(async move |text, _| {
        log.borrow_mut().push(format!("rest {text}"));
        wait(2).await;
        let (_, rest) = text.split_once(' ').ok_or(Bad::Empty)?;
        log.borrow_mut().push(format!("gives {rest}"));
        Ok(rest)
    })
}

/// A stage that waits, written by hand. What it gives borrows from it.
pub struct Cache {
    pub all: Vec<String>,
}

impl AsyncStage for Cache {
    type In = Ref<str>;
    type Out = Words;
    type Error = Bad<'static>;

    async fn run<'a>(&'a mut self, input: &'a str) -> Result<Vec<&'a str>, Bad<'static>> {
        wait(input.len()).await;
        self.all.push(input.to_owned());
        Ok(self.all.iter().map(String::as_str).chain([input]).collect())
    }
}

pub fn numbers<'c>(log: &'c Log, erased: bool) -> BoxedAsync<'c, Ref<str>, Own<i64>, Bad<'c>> {
    let last = ready(number()).then(ready(stage::<Own<i64>, Own<i64>, _>(|n, _| n * 2).lift()));
    if erased {
        rest(log).boxed().then(last.boxed()).boxed()
    } else {
        rest(log).then(last).boxed()
    }
}

/// All of them, one after the other.
pub async fn chain<E>(stages: &mut [BoxedAsync<'_, Ref<str>, Ref<str>, E>], text: &str) -> Result<String, E> {
    let mut text = text.to_owned();
    for stage in stages {
        text = stage.run(&text).await?.to_owned();
    }
    Ok(text)
}

pub async fn total<'i, S>(stage: &mut S, texts: Vec<Of<'i, S::In>>) -> Result<i64, S::Error>
where
    S: AsyncStage<Out = Own<i64>>,
    S::In: 'i,
{
    let mut total = 0;
    stage.run_all(texts, |n| total += n).await?;
    Ok(total)
}
