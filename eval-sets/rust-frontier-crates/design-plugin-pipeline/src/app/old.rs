//! Code from before there were stages.

use crate::Pipeline;
use std::collections::HashMap;

pub fn shout(times: usize) -> Pipeline<String> {
    let mut pipeline = Pipeline::new().add(|text: String| text.to_uppercase());
    for _ in 0..times {
        pipeline.push(Box::new(|text| text + "!"));
    }
    pipeline
}

pub struct Counter {
    pipeline: Pipeline<i64>,
    pub seen: Vec<i64>,
}

impl Counter {
    pub fn new(step: i64) -> Self {
        let mut total = 0;
        let pipeline = Pipeline::<i64>::default()
            .named("step", move |n| n * step)
            .named(String::from("total"), move |n| {
                total += n;
                total
            });
        Counter { pipeline, seen: Vec::new() }
    }

    pub fn count(&mut self, n: i64) -> i64 {
        let n = self.pipeline.run(n);
        self.seen.push(n);
        n
    }

    pub fn names(&self) -> Vec<&str> {
        self.pipeline.names().collect()
    }
}

type Function = Box<dyn FnMut(Vec<u8>) -> Vec<u8>>;

#[derive(Default)]
pub struct Tables {
    by_name: HashMap<String, Pipeline<Vec<u8>>>,
}

impl Tables {
    pub fn add(&mut self, name: &str, functions: Vec<Function>) {
        let pipeline = self.by_name.entry(name.to_owned()).or_default();
        for function in functions {
            pipeline.push(function);
        }
        assert_eq!(pipeline.names().count(), 0);
    }

    pub fn run(&mut self, name: &str, value: Vec<u8>) -> Option<Vec<u8>> {
        self.by_name.get_mut(name).map(|pipeline| pipeline.run(value))
    }
}

pub fn all<T: 'static>(functions: Vec<fn(T) -> T>, value: T) -> T {
    functions.into_iter().fold(Pipeline::new(), |pipeline, f| pipeline.add(f)).run(value)
}
