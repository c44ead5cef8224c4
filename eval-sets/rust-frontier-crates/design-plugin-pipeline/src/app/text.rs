//! Stages of borrowed text, composed without boxes.

use crate::{identity, shape, stage, try_stage, List, Of, Opt, Own, Ref, Shape, Stage};
use std::borrow::Cow;
use std::convert::Infallible;

shape! {
    /// Two words.
    pub Pair<'t> = (&'t str, Cow<'t, str>);
    pub Words<'w> = Vec<&'w str>;
    #[derive(Debug)]
    pub Plain<'p> = usize;
}

#[derive(Debug, PartialEq)]
pub enum Bad<'c> {
    Empty,
    Number(String),
    In(&'c str),
}

pub fn trimmed() -> impl Stage<In = Ref<str>, Out = Ref<str>, Error = Infallible> {
    stage::<Ref<str>, Ref<str>, _>(|text, _| text.trim())
}

pub fn words<'c>() -> impl Stage<In = Ref<str>, Out = Words, Error = Bad<'c>> {
    trimmed().lift().try_map::<Words, _>(|text, _| {
        if text.is_empty() {
            return Err(Bad::Empty);
        }
        Ok(text.split(' ').collect())
    })
}

/// Borrows a table for as long as the stage lives, and gives what is in the text.
pub fn known<'c>(table: &'c [String]) -> impl Stage<In = Ref<str>, Out = Opt<Ref<str>>, Error = Bad<'c>> + 'c {
    identity::<Ref<str>>().lift().filter(move |text| table.iter().any(|known| known == text))
}

pub fn number<'c>() -> impl Stage<In = Ref<str>, Out = Own<i64>, Error = Bad<'c>> {
    try_stage::<Ref<str>, Own<i64>, Bad<'c>, _>(|text, _| text.parse().map_err(|_| Bad::Number(text.to_owned())))
}

/// What it gives borrows from the stage.
pub fn upper<E>() -> impl Stage<In = Ref<str>, Out = Ref<str>, Error = E> {
    identity::<Ref<str>>().lift::<E>().with::<Ref<str>, _, _>(String::new(), |buffer, text| {
        buffer.clear();
        buffer.extend(text.chars().flat_map(char::to_uppercase));
        Ok(buffer)
    })
}

/// What it gives borrows from the stage, from its input, or both.
pub fn paired<E>() -> impl Stage<In = Ref<str>, Out = Pair, Error = E> {
    identity::<Ref<str>>().lift::<E>().with::<Pair, (String, usize), _>((String::new(), 0), |(buffer, calls), text| {
        *calls += 1;
        if text.len() > 2 {
            return Ok((text, Cow::Borrowed(&text[1..])));
        }
        *buffer = format!("{text}{calls}");
        Ok((buffer, Cow::Owned(text.to_owned())))
    })
}

/// Works for stages of every kind.
pub fn count_all<'t, P: Stage<In = Ref<str>>>(
    pipeline: &mut P,
    texts: &[&'t str],
    mut count: impl for<'a> FnMut(Of<'a, P::Out>) -> usize,
) -> Result<usize, P::Error> {
    let mut total = 0;
    pipeline.run_all(texts.iter().copied(), |out| total += count(out))?;
    Ok(total)
}

/// The same for inputs of every shape.
pub fn first<'i, P: Stage + ?Sized>(pipeline: &mut P, inputs: Vec<Of<'i, P::In>>) -> Option<bool>
where
    P::In: 'i,
{
    let input = inputs.into_iter().next()?;
    Some(pipeline.run(P::In::shorten(input)).is_ok())
}

pub fn both_ways<'c>() -> impl Stage<In = Ref<str>, Out = (Own<i64>, (Ref<str>, Words)), Error = Bad<'c>> {
    let named = upper().both(words());
    number().or(trimmed().lift().then(number())).or(stage::<Ref<str>, Own<i64>, _>(|text, _| -(text.len() as i64)).lift()).both(named)
}

pub fn length() -> impl Stage<In = Ref<str>, Out = Plain, Error = Infallible> {
    stage::<Ref<str>, Plain, _>(|text, _| text.len())
}

pub fn lengths(texts: &mut dyn Stage<In = Ref<str>, Out = List<Ref<str>>, Error = ()>, text: &str) -> Vec<usize> {
    let mut out = texts.map::<Own<Vec<usize>>, _>(|parts, _| parts.iter().map(|part| part.len()).collect());
    out.run(text).unwrap_or_default()
}
