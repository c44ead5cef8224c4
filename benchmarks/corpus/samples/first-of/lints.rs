use std::time::Duration;
use tokio::sync::mpsc;

pub async fn first_of(waits: Vec<(u64, i32)>, limit: u64) -> Option<i32> {
    if waits.len() == 0 {
        return None;
    }
    let (sender, mut receiver) = mpsc::channel(waits.len());
    for i in 0..waits.len() {
        let (millis, number) = waits[i].clone();
        let sender = sender.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(millis)).await;
            let _ = sender.send(number).await;
        });
    }
    tokio::select! {
        number = receiver.recv() => { return number; }
        _ = tokio::time::sleep(Duration::from_millis(limit)) => { return None; }
    }
}
