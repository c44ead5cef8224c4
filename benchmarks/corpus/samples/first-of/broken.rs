use std::time::Duration;
use tokio::time::sleep;

pub async fn first_of(waits: Vec<(u64, i32)>, limit: u64) -> Option<i32> {
    let mut best: Option<(u64, i32)> = None;
    for (millis, number) in waits {
        sleep(Duration::from_millis(millis));
        match best {
            Some((least, _)) if least <= millis => {}
            _ => best = Some((millis, number)),
        }
    }
    best.filter(|(millis, _)| millis < limit).map(|(_, number)| number)
}
