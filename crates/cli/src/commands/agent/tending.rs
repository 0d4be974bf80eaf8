//! Keeps the mailbox and the store in agreement, and says what became of files.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::ports::{ActivityLog, LogLevel, LogLine};
use domain::tasks::QueueLimit;
use engine::stop::Stop;
use store::Store;
use store::mailbox::{FullQueue, Mailbox, SetAside, TakenIn};

use super::log::Logs;
use super::trouble::{MAILBOX, Trouble, warn};

/// After trouble, doubling.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

pub(super) struct Tending<'a> {
    mailbox: &'a Mailbox,
    logs: &'a Logs,
    most: u32,
    trouble: Trouble,
    /// Queues of which it was said.
    full: BTreeSet<String>,
}

/// How a look at the mailbox went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tended {
    Well,
    /// Told already; it is tried again a little later.
    InTrouble,
}

impl<'a> Tending<'a> {
    pub(super) fn new(mailbox: &'a Mailbox, logs: &'a Logs, most: u32) -> Tending<'a> {
        Tending { mailbox, logs, most, trouble: Trouble::new(MAILBOX), full: BTreeSet::new() }
    }

    pub(super) async fn go_on(&mut self, store: &Store, stop: Stop) {
        let mut changes = self.mailbox.watch();
        let mut pause = FIRST_PAUSE;
        while !stop.is_requested() {
            match self.once(store).await {
                Tended::Well => pause = FIRST_PAUSE,
                Tended::InTrouble => {
                    stop.sleep(pause).await;
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
            }
            tokio::select! {
                () = changes.next() => {}
                () = stop.requested() => {}
            }
        }
    }

    pub(super) async fn once(&mut self, store: &Store) -> Tended {
        match self.mailbox.tend(store, QueueLimit::AtMost(self.most)).await {
            Ok(taken) => {
                self.trouble.is_over(self.logs);
                self.tell(&taken);
                Tended::Well
            }
            Err(error) => {
                let what = format!("The mailbox could not be tended: {error}");
                self.trouble.say(self.logs, &what, error.cause());
                Tended::InTrouble
            }
        }
    }

    fn tell(&mut self, taken: &TakenIn) {
        for SetAside { was, name, reason } in &taken.set_aside {
            warn(self.logs, MAILBOX, &format!("{was} was moved to malformed/{name}: {reason}"));
        }
        for FullQueue { queue, file } in &taken.full {
            if self.full.insert(queue.clone()) {
                let most = self.most;
                let what = format!("Queue {queue} is full ({most} unfinished tasks): {file} waits for room");
                warn(self.logs, MAILBOX, &what);
            }
        }
        let logs = self.logs;
        self.full.retain(|queue| {
            let still = taken.full.iter().any(|full| full.queue == *queue);
            if !still {
                let what = format!("Queue {queue} has room again");
                logs.write(&LogLine::new(MAILBOX, LogLevel::Info, &what));
            }
            still
        });
    }
}
