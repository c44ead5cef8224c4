use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Returns what the first task gives that ends within `limit` milliseconds.
pub async fn first_of(waits: Vec<(u64, i32)>, limit: u64) -> Option<i32> {
    let mut running = JoinSet::new();
    for (millis, number) in waits {
        running.spawn(async move {
            sleep(Duration::from_millis(millis)).await;
            number
        });
    }
    let first = timeout(Duration::from_millis(limit), running.join_next());
    first.await.ok().flatten()?.ok()
}
