use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use domain::ports::TaskStore;
use domain::tasks::{Finish, Outcome, QueueLimit, TaskId};
use serde_json::{Value, json};
use store::Store;
use tokio::time::sleep;

use crate::QUEUE;
use crate::fill::new_task;
use crate::samples::Samples;

const READY: &str = "ready";
/// As an agent's `poll_interval`: what comes through a poll would stand out.
const POLL: Duration = Duration::from_secs(30);

/// Both processes have one clock.
pub(crate) async fn pickup(url: &str, samples: u32) -> Result<Value> {
    let store = Store::open(url).await?;
    let mut worker = Worker::start(url)?;
    // The worker's ear proves itself meanwhile.
    sleep(Duration::from_secs(2)).await;
    let mut times = Samples::default();
    for number in 0..samples {
        // At no fixed distance from when a worker looks.
        sleep(Duration::from_micros(u64::from(number) * 7919 % 60_000 + 5_000)).await;
        let now = store.now().await?.as_millisecond();
        let task = new_task(TaskId::parse(&format!("pickup-{QUEUE}-{now}-{number:06x}"))?)?;
        let begun = since_1970()?;
        store.add(std::slice::from_ref(&task), QueueLimit::Unlimited).await?;
        let (id, held) = worker.claimed()?;
        ensure!(id == task.task().id.as_str(), "{id} was claimed: the queue was not empty");
        times.push(held.saturating_sub(begun));
    }
    worker.stop()?;
    store.close().await;
    Ok(json!({ "samples": samples, "pickup_ms": times.summary() }))
}

struct Worker {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Worker {
    fn start(url: &str) -> Result<Worker> {
        let program = std::env::current_exe()?;
        let mut process =
            Command::new(program).args(["pickup-worker", url]).stdout(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(process.stdout.take().context("its output")?).lines();
        ensure!(lines.next().context("the worker ended")?? == READY);
        Ok(Worker { process, lines })
    }

    fn claimed(&mut self) -> Result<(String, Duration)> {
        let line = self.lines.next().context("the worker ended")??;
        let (id, nanoseconds) = line.split_once(' ').context("an id and a time")?;
        Ok((id.to_owned(), Duration::from_nanos(nanoseconds.parse()?)))
    }

    fn stop(mut self) -> Result<()> {
        self.process.kill()?;
        self.process.wait()?;
        Ok(())
    }
}

/// Claims and waits as an agent does, until it is killed.
pub(crate) async fn work(store: &Store) -> Result<()> {
    say(READY)?;
    loop {
        let pulse = store.pulse();
        match store.claim(&[QUEUE], "bench", Duration::from_secs(600)).await? {
            None => store.wait_for_work(pulse, POLL).await,
            Some((_, lease)) => {
                say(&format!("{} {}", lease.task(), since_1970()?.as_nanos()))?;
                store.finish(&lease, &Finish::from(Outcome::Completed)).await?;
            }
        }
    }
}

fn say(line: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}")?;
    Ok(output.flush()?)
}

fn since_1970() -> Result<Duration> {
    Ok(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?)
}
