//! Frees the tasks of workers that are gone.

use std::time::Duration;

use domain::ports::{ActivityLog, TaskStore};

use crate::lines;
use crate::stop::Stop;

const AT_ONCE: u32 = 100;

/// Looks every `interval` for tasks whose holder has not been heard of for the length of its lease, frees them
/// and says which. As many may run as there are machines: each task is freed once.
pub async fn run_watchdog(
    store: &impl TaskStore,
    interval: Duration,
    log: &(impl ActivityLog + ?Sized),
    stop: Stop,
) {
    let mut trouble = lines::Trouble::default();
    while !stop.is_requested() {
        match store.expire(AT_ONCE).await {
            Ok(freed) => {
                trouble.is_over();
                freed.iter().for_each(|expired| log.write(&lines::freed(expired)));
                if freed.len() >= AT_ONCE as usize {
                    continue;
                }
            }
            Err(error) => trouble.say_once(log, lines::WATCHDOG, lines::WATCHDOG, &error),
        }
        stop.sleep(interval).await;
    }
}
