//! Functions that use the world without systems.

use super::parts::{Name, Parent, Player, Pos, Speed};
use crate::ecs::{Bundle, Component, Entity, Query, QueryData, QueryFilter, World};

pub fn named<B: Bundle>(world: &mut World, name: &str, bundle: B) -> Entity {
    let entity = world.spawn((Name(name.into()), bundle));
    assert!(world.contains(entity));
    entity
}

pub fn family(world: &mut World) -> [Entity; 3] {
    let root = named(world, "root", (Pos(0, 0), Speed(1, 1), Player));
    let child = named(world, "child", (Pos(5, 5), (Parent(root), Speed(2, 0))));
    let other = named(world, "other", ());
    [root, child, other]
}

/// Works for any query.
pub fn total<'w, D, F, N>(query: &mut Query<'w, D, F>, number: N) -> i32
where
    D: QueryData,
    F: QueryFilter,
    N: for<'q> Fn(D::Item<'q>) -> i32,
{
    let mut total = 0;
    for item in query.iter_mut() {
        total += number(item);
    }
    total
}

pub fn first<'q, D: QueryData>(query: &'q Query<'_, D>) -> Option<D::Read<'q>> {
    let mut all = query.iter();
    let first = all.next();
    all.next().is_none().then_some(first).flatten()
}

pub fn sum_of_places(world: &World) -> i32 {
    let mut places = world.query::<&mut Pos, ()>();
    total(&mut places, |pos| {
        pos.0 += 1;
        pos.0 + pos.1
    })
}

/// Two queries at a time, of which no column is written by one and used by the other.
pub fn speeds(world: &World) -> (i32, usize) {
    let read = world.query::<(&Speed, &Pos), ()>();
    let mut names = world.query::<&mut Name, ()>();
    for name in &mut names {
        name.0 = name.0.to_uppercase().into();
    }
    (read.iter().map(|(speed, pos)| speed.0 * pos.0).sum(), names.iter().map(|name| name.0.len()).sum())
}

pub fn replace<C: Component>(world: &mut World, entity: Entity, value: C) -> Option<C> {
    let old = world.take::<C>(entity);
    world.insert(entity, value).then_some(old).flatten()
}

pub fn shift(world: &World, entity: Entity, by: i32) -> Option<i32> {
    let mut pos = world.get_mut::<Pos>(entity)?;
    pos.0 += by;
    let now = pos.0;
    drop(pos);
    let again = world.get::<Pos>(entity)?;
    assert_eq!(again.0, now);
    Some(now)
}
