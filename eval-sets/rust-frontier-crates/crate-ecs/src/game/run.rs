//! Schedules.

use super::parts::{Dead, Hit, Log, Name, Player, Pos, Quit, Speed, Stack, Turn};
use super::systems::{
    bury, collide, count, drop_all, every_second, follow, hurt, killer, late, next_turn, quitting, reap, show, stacks, swap, walk,
};
use super::tools::family;
use crate::ecs::{
    Commands, Cycle, Entity, Events, In, IntoConfigs, IntoSystem, Local, Query, ReadEvents, Res, ResMut, Schedule, System, With, World,
};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

pub fn world() -> (World, [Entity; 3]) {
    let mut world = World::new();
    world.insert_resource(Turn::default());
    world.insert_resource(Log(Rc::new(Cell::new(0)), Vec::new()));
    let family = family(&mut world);
    (world, family)
}

pub fn game<'s>() -> Schedule<'s> {
    let mut schedule = Schedule::new();
    schedule
        .add(show.label("show").after("fight"))
        .add((collide, hurt.run_if(late)).chain().label("fight").after("move"))
        .add(((next_turn, walk), follow).chain().label("move"))
        .add(bury.after("show").run_if(every_second));
    schedule
}

/// Systems that borrow what is local.
pub fn watch<'s>(seen: &'s RefCell<Vec<String>>, quit: &'s Cell<bool>, mut left: u32) -> Schedule<'s> {
    let mut schedule = Schedule::new();
    schedule.add((
        stacks,
        stacks.label("again"),
        move |log: Res<Log>, names: Query<&Name, With<Player>>, mut from: Local<usize>| {
            let mut seen = seen.borrow_mut();
            seen.extend(log.1[*from..].iter().cloned());
            seen.extend(names.iter().map(|name| name.0.to_string()));
            *from = log.1.len();
        },
        (|mut quits: Events<Quit>| quits.send(Quit("none left".into()))).run_if(move || {
            left = left.saturating_sub(1);
            left == 0
        }),
    ));
    schedule.add((quitting.map(|quit: bool| !quit).map(|go| quit.set(!go)), IntoSystem::map(reap, drop)).chain().after("again"));
    schedule
}

pub fn until_quit(world: &mut World, schedule: &mut Schedule<'_>, quit: &Cell<bool>) -> Result<u32, Cycle> {
    let mut rounds = 0;
    while !quit.get() {
        schedule.run(world)?;
        world.update_events();
        rounds += 1;
    }
    Ok(rounds)
}

pub fn kinds<'s>(out: &'s RefCell<Vec<usize>>) -> Schedule<'s> {
    let push = move |In(n): In<usize>| out.borrow_mut().push(n);
    let mut schedule = Schedule::new();
    let counts: [Box<dyn System<In = (), Out = usize>>; 3] = [
        Box::new(count::<Pos>.into_system()),
        Box::new(count::<Speed>.into_system()),
        Box::new(count::<Stack<u8>>.into_system()),
    ];
    for system in counts {
        schedule.add(system.pipe(push).label("count"));
    }
    schedule.add((drop_all::<Pos>, drop_all::<Dead>.before("count"), swap.pipe(push).before("count")).after("nobody"));
    schedule
}

/// Runs once, with and without input, by a borrowed closure too.
pub fn once(world: &mut World, names: &[&'static str]) -> (Vec<bool>, usize) {
    let mut killer = killer();
    let killed = names.iter().map(|name| killer.run(*name, world)).collect();
    let mut total = 0;
    world.run(|all: Query<(&Pos, Option<&Speed>)>, mut commands: Commands| {
        for (pos, speed) in all.iter() {
            total += pos.0 as usize + usize::from(speed.is_some());
        }
        commands.spawn(Pos(total as i32, 0));
    });
    let more = world.run_with(|In(n): In<usize>, mut turn: ResMut<Turn>| std::mem::replace(&mut turn.0, n as u32), total);
    (killed, total + more as usize)
}

pub fn echo(hits: &mut Vec<Hit>) -> impl System<In = (), Out = usize> + '_ {
    (move |mut events: ReadEvents<Hit>| {
        let before = hits.len();
        hits.extend(events.read().cloned());
        hits.len() - before
    })
    .into_system()
}
