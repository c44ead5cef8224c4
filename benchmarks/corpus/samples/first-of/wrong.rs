use std::time::Duration;
use tokio::time::{sleep, Instant};

/// Waits for one after the other, and looks at the time when everything is over.
pub async fn first_of(waits: Vec<(u64, i32)>, limit: u64) -> Option<i32> {
    let start = Instant::now();
    let mut first = None;
    for (millis, number) in waits {
        sleep(Duration::from_millis(millis)).await;
        first = first.or(Some(number));
    }
    if start.elapsed() > Duration::from_millis(limit) {
        return None;
    }
    first
}
