//! Stages that are put together when the program runs.

use super::text::Bad;
use crate::{stage, try_stage, Boxed, Failed, List, Of, Opt, Own, Pipeline, Ref, Shape, Stage};
use std::collections::BTreeMap;
use std::fmt;

type Text<'s> = Boxed<'s, Ref<str>, Ref<str>, String>;

/// Stages by name, which may borrow from a configuration.
pub struct Plugins<'s> {
    makers: BTreeMap<&'static str, Maker<'s>>,
}

type Maker<'s> = Box<dyn Fn(&'s str) -> Text<'s> + 's>;

impl Default for Plugins<'_> {
    fn default() -> Self {
        let mut makers: BTreeMap<&'static str, Maker<'_>> = BTreeMap::new();
        makers.insert("trim", Box::new(|_| stage::<Ref<str>, Ref<str>, _>(|text, _| text.trim()).lift().boxed()));
        makers.insert(
            "strip",
            Box::new(|prefix| {
                try_stage::<Ref<str>, Ref<str>, _, _>(move |text, _| {
                    text.strip_prefix(prefix).ok_or_else(|| format!("no {prefix}"))
                })
                .boxed()
            }),
        );
        makers.insert("upper", Box::new(|_| super::text::upper().boxed()));
        Plugins { makers }
    }
}

impl<'s> Plugins<'s> {
    /// `trim | strip a | upper`
    pub fn parse(&self, text: &'s str) -> Option<Text<'s>> {
        let mut all: Option<Text<'s>> = None;
        for part in text.split(" | ") {
            let (name, argument) = part.split_once(' ').unwrap_or((part, ""));
            let next = self.makers.get(name)?(argument);
            all = Some(match all {
                Some(all) => all.then(next).boxed(),
                None => next,
            });
        }
        all
    }
}

/// A stage that is written by hand.
pub struct Split {
    pub at: char,
    pub calls: usize,
}

impl Stage for Split {
    type In = Ref<str>;
    type Out = List<Ref<str>>;
    type Error = ();

    fn run<'a>(&'a mut self, input: &'a str) -> Result<Vec<&'a str>, ()> {
        self.calls += 1;
        match input.is_empty() {
            true => Err(()),
            false => Ok(input.split(self.at).collect()),
        }
    }
}

/// A stage for every shape: keeps the last values that it gave.
pub struct Spy<S, F> {
    pub stage: S,
    pub see: F,
}

impl<S, F> Stage for Spy<S, F>
where
    S: Stage,
    F: for<'a, 'b> FnMut(Result<&'b Of<'a, S::Out>, &'b S::Error>),
{
    type In = S::In;
    type Out = S::Out;
    type Error = S::Error;

    fn run<'a>(&'a mut self, input: Of<'a, S::In>) -> Result<Of<'a, S::Out>, S::Error> {
        let out = self.stage.run(input);
        (self.see)(out.as_ref());
        out
    }
}

/// Erased and not, by reference and not.
pub fn four_times<'f, S, E>(
    first: &'f mut S,
    second: &'f mut (dyn Stage<In = Own<i64>, Out = Own<i64>, Error = E> + 'f),
    third: Boxed<'f, Own<i64>, Own<i64>, E>,
    mut fourth: impl FnMut(i64) -> i64 + 'f,
) -> Box<dyn FnMut(i64) -> Result<i64, E> + 'f>
where
    S: Stage<In = Own<i64>, Out = Own<i64>, Error = E>,
    E: 'f,
{
    let fourth = stage::<Own<i64>, Own<i64>, _>(move |n, _| fourth(n)).lift();
    let mut all = first.then(second).then(third).then(fourth);
    Box::new(move |n| all.run(n))
}

pub fn checked() -> Pipeline<i64, String> {
    Pipeline::<i64, String>::fallible()
        .try_add(|n| n.checked_mul(1 << 60).ok_or_else(|| "overflow".to_owned()))
        .named_stage("half", try_stage::<Own<i64>, Own<i64>, _, _>(|n, _| Ok(n / 2)))
        .stage(Pipeline::new().named("inner", |n: i64| n + 1).map_err(|failed| match failed.error {}))
}

pub fn explained<T: 'static, E: fmt::Display + 'static>(pipeline: Pipeline<T, E>) -> impl Stage<In = Own<T>, Out = Own<T>, Error = String> {
    pipeline.map_err(|failed: Failed<E>| failed.to_string())
}

/// Numbers of known words.
pub fn lookup<'c>(table: &'c [String], found: &'c mut Vec<String>) -> Boxed<'c, Ref<str>, Opt<Own<usize>>, Bad<'c>> {
    super::text::known(table)
        .then_some(stage::<Ref<str>, Own<usize>, _>(|text, _| {
            found.push(text.to_owned());
            found.len()
        }).lift())
        .boxed()
}

pub fn nested<S: Shape + 'static>(depth: usize, inner: impl Stage<In = S, Out = S, Error = ()> + 'static) -> Boxed<'static, S, S, ()> {
    (0..depth).fold(inner.boxed(), |inner, _| inner.boxed())
}
