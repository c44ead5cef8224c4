//! Systems as functions.

use super::parts::{Dead, Guard, Hit, Log, Name, Parent, Player, Pos, Quit, Screen, Speed, Stack, Stacks, Turn};
use crate::ecs::{
    Changed, Commands, Component, Entity, Events, Has, In, IntoSystem, Local, Or, Query, ReadEvents, Res, ResMut, System, With, Without,
    World,
};
use std::fmt;

pub fn walk(mut moving: Query<(&mut Pos, &Speed), Without<Dead>>) {
    for (pos, speed) in &mut moving {
        pos.0 += speed.0;
        pos.1 += speed.1;
    }
}

pub fn next_turn(mut turn: ResMut<Turn>) {
    turn.0 += 1;
}

pub fn collide(players: Query<(Entity, &Pos), With<Player>>, others: Query<(Entity, &Pos), Without<Player>>, mut hits: Events<Hit>) {
    for (who, place) in &players {
        let points = others.iter().filter(|(_, pos)| *pos == place).count();
        if points > 0 {
            hits.send(Hit { who, points: points as u8 });
        }
    }
}

pub fn hurt(mut hits: ReadEvents<Hit>, mut commands: Commands, names: Query<Option<&Name>>, mut log: ResMut<Log>) {
    for Hit { who, points } in hits.read() {
        match names.get(*who) {
            Some(Some(name)) => log.add(format_args!("{} -{points}", name.0)),
            Some(None) => log.add(format_args!("{who:?} -{points}")),
            None => continue,
        }
        if *points > 1 {
            commands.insert(*who, (Dead, Speed(0, 0)));
        }
    }
}

pub fn bury(dead: Query<Entity, (With<Dead>, Without<Player>)>, children: Query<(Entity, &Parent)>, mut commands: Commands) {
    for entity in dead.iter() {
        for (child, Parent(parent)) in &children {
            if *parent == entity {
                commands.remove::<Parent>(child);
            }
        }
        commands.despawn(entity);
    }
}

pub fn show(mut screen: Screen, mut log: ResMut<Log>) {
    for line in screen.lines() {
        log.add(line);
    }
}

pub fn stacks(mut all: Stacks<u64>, mut count: Local<u32>) {
    *count += 1;
    if let Some(longest) = all.longest() {
        longest.push(u64::from(*count));
    }
    let (query, commands) = all.split();
    if query.is_empty() {
        let first = commands.spawn((Stack(vec![1u64]), Pos(9, 9)));
        commands.spawn(Parent(first));
    }
    if *count == 3 {
        all.quits.send(Quit("three".to_owned()));
    }
}

/// Follows its parent by random access to one column: read, then write.
pub fn follow(children: Query<(Entity, &Parent)>, mut places: Query<&mut Pos>) {
    for (child, parent) in &children {
        let Some(&target) = places.get(parent.0) else { continue };
        if let Some(pos) = places.get_mut(child) {
            *pos = target;
        }
    }
}

pub fn swap(mut all: Query<(&mut Pos, Has<Speed>, Option<&mut Speed>)>) -> usize {
    let mut pairs: Vec<_> = all.iter_mut().collect();
    let count = pairs.len();
    if let [(first, had, speed), .., (last, _, _)] = pairs.as_mut_slice() {
        std::mem::swap(*first, *last);
        assert_eq!(*had, speed.is_some());
        if let Some(speed) = speed {
            speed.0 = -speed.0;
        }
    }
    count
}

type FastOrDead = Or<(Changed<Speed>, With<Dead>)>;

pub fn changed(
    moved: Query<(&Name, &Pos), Changed<Pos>>,
    either: Query<Entity, FastOrDead>,
) -> (Vec<String>, usize) {
    (moved.iter().map(|(name, _)| name.0.to_string()).collect(), either.iter().count())
}

/// Generic systems.
pub fn count<C: Component>(all: Query<&C>) -> usize {
    all.iter().count()
}

pub fn drop_all<C>(all: Query<Entity, With<C>>, mut commands: Commands, log: Option<ResMut<Log>>)
where
    C: Component,
{
    for entity in &all {
        commands.remove::<C>(entity);
    }
    if let Some(mut log) = log {
        log.add(std::any::type_name::<C>().rsplit("::").next().unwrap());
    }
}

/// Systems with an input.
pub fn find(In(name): In<&'static str>, names: Query<(Entity, &Name)>) -> Result<Entity, String> {
    let found = names.iter().find(|(_, n)| *n.0 == *name).map(|(entity, _)| entity);
    found.ok_or_else(|| format!("no {name}"))
}

pub fn logged<T: fmt::Debug, E: fmt::Display>(In(result): In<Result<T, E>>, mut log: ResMut<Log>) -> Option<T> {
    result.map_err(|error| log.add(error)).ok()
}

pub fn kill(In(entity): In<Option<Entity>>, mut commands: Commands) -> bool {
    if let Some(entity) = entity {
        commands.add(move |world: &mut World| {
            world.insert(entity, Dead);
        });
    }
    entity.is_some()
}

/// A system that has the whole world.
pub fn reap(world: &mut World) -> usize {
    let dead: Vec<Entity> = world.query::<Entity, With<Dead>>().iter().collect();
    let guards = dead.iter().filter(|entity| world.take::<Guard>(**entity).is_some()).count();
    for entity in dead {
        assert!(world.despawn(entity));
    }
    guards
}

pub fn quitting(mut quits: ReadEvents<Quit>) -> bool {
    quits.read().any(|quit| !quit.0.is_empty())
}

pub fn every_second(mut odd: Local<bool>) -> bool {
    *odd = !*odd;
    *odd
}

pub fn late(turn: Option<Res<Turn>>) -> bool {
    turn.is_some_and(|turn| turn.0 > 1)
}

/// Systems that are made of others.
pub fn killer<'s>() -> impl System<In = &'static str, Out = bool> + 's {
    find.pipe(logged).pipe(kill)
}

pub fn twice<'s, M, S>(system: S) -> impl System<In = (), Out = (S::Out, S::Out)> + 's
where
    S: IntoSystem<M, In = ()> + Clone + 's,
    S::Out: 's,
    M: 's,
{
    let mut first = system.clone().into_system();
    let second = system.into_system();
    let mut second: Box<dyn System<In = (), Out = S::Out> + 's> = Box::new(second);
    (move |world: &mut World| (first.run((), world), second.run((), world))).into_system()
}
