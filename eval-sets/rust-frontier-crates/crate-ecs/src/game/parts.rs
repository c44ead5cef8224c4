//! Components, resources, events and parameters of the game.

use crate::ecs::{component, param, Commands, Entity, Events, Local, Query, Res, ResMut, With, Without};
use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

#[derive(Debug, PartialEq, Clone, Copy)]
pub struct Pos(pub i32, pub i32);

#[derive(Debug, PartialEq)]
pub struct Speed(pub i32, pub i32);

/// Neither `Clone` nor `Debug`.
pub struct Name(pub Box<str>);

pub struct Player;
pub struct Dead;
pub struct Parent(pub Entity);

/// Counts its drops.
pub struct Guard(pub Rc<Cell<u32>>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

/// A component with a parameter.
#[derive(Default)]
pub struct Stack<T>(pub Vec<T>);

component! { Pos, Speed, Name, Player, Dead, Parent, Guard }
component! { Stack<T> }

#[derive(Default)]
pub struct Turn(pub u32);

/// A resource that is not `Send`.
pub struct Log(pub Rc<Cell<usize>>, pub Vec<String>);

impl Log {
    pub fn add(&mut self, line: impl fmt::Display) {
        self.0.set(self.0.get() + 1);
        self.1.push(line.to_string());
    }
}

#[derive(Debug, PartialEq, Clone)]
pub struct Hit {
    pub who: Entity,
    pub points: u8,
}

pub struct Quit(pub String);

param! {
    /// What the screen shows.
    pub struct Screen<'w> {
        pub turn: Res<'w, Turn>,
        pub players: Query<'w, (Entity, &'static Name, Option<&'static Pos>), (With<Player>, Without<Dead>)>,
        seen: Local<'w, usize>,
    }
}

param! {
    /// A parameter with a parameter and with another parameter inside.
    pub struct Stacks<'w, T: fmt::Debug> {
        pub screen: Screen<'w>,
        pub all: Query<'w, &'static mut Stack<T>>,
        log: Option<ResMut<'w, Log>>,
        pub commands: Commands<'w>,
        pub quits: Events<'w, Quit>,
    }
}

impl Screen<'_> {
    pub fn lines(&mut self) -> impl Iterator<Item = String> + '_ {
        *self.seen += 1;
        let turn = self.turn.0;
        let seen = *self.seen;
        self.players.iter().map(move |(_, Name(name), pos)| match pos {
            Some(Pos(x, y)) => format!("{turn}/{seen} {name} {x},{y}"),
            None => format!("{turn}/{seen} {name}"),
        })
    }

    pub fn name(&self, entity: Entity) -> Option<&str> {
        self.players.get(entity).map(|(_, name, _)| &*name.0)
    }
}

impl<'w, T: fmt::Debug + 'static> Stacks<'w, T> {
    /// The longest of all stacks, for the life of the borrow of `self`.
    pub fn longest(&mut self) -> Option<&mut Vec<T>> {
        let mut longest: Option<&mut Vec<T>> = None;
        for Stack(values) in &mut self.all {
            if longest.as_ref().is_none_or(|other| other.len() < values.len()) {
                longest = Some(values);
            }
        }
        if let (Some(log), Some(values)) = (&mut self.log, &longest) {
            log.add(format_args!("longest {values:?}"));
        }
        longest
    }

    pub fn split(&mut self) -> (&mut Query<'w, &'static mut Stack<T>>, &mut Commands<'w>) {
        (&mut self.all, &mut self.commands)
    }
}
