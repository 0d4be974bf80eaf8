//! Stopping cleanly.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

/// How long work that was asked to stop may take to put its things away. Agents have five seconds themselves.
const GRACE: Duration = Duration::from_secs(15);
const ROUND: Duration = Duration::from_millis(200);
/// Work that has started nothing waits for a person or a model: there is nothing to put away.
const IDLE_ROUNDS: u32 = 10;

/// How supervised work came to its end.
pub(crate) enum Finished<T> {
    Done(T),
    /// It did not stop in time, or waits for somebody who does not answer.
    Abandoned,
}

/// Requests to stop: Ctrl-C, SIGTERM, and a terminal that was closed. From the moment there is one of these they end nobody any more,
/// but wait until somebody does supervised work.
pub(crate) struct Requests {
    runtime: Runtime,
    int: Stream,
    term: Stream,
    /// Nothing under `nohup`, whose user wants to go on.
    hang_up: Option<Stream>,
}

impl Requests {
    pub(crate) fn listen() -> std::io::Result<Requests> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let entered = runtime.enter();
        let hang_up = (!ignores_hang_up()).then(|| signal(SignalKind::hangup())).transpose()?;
        let (int, term) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        drop(entered);
        Ok(Requests { runtime, int, term, hang_up })
    }
}

fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The first signal is the lowest bit.
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// Does work on a thread of its own, and asks it to stop when somebody wants that: `stop` is set, and whatever it has started is
/// ended. Agents are in process groups of their own, which a terminal's Ctrl-C does not reach.
pub(crate) fn supervised<T: Send + 'static>(
    requests: Requests,
    stop: &Arc<AtomicBool>,
    work: impl FnOnce() -> T + Send + 'static,
) -> std::io::Result<Finished<T>> {
    let Requests { runtime, mut int, mut term, hang_up } = requests;
    runtime.block_on(async {
        let hung_up = async {
            match hang_up {
                Some(mut stream) => _ = stream.recv().await,
                None => std::future::pending().await,
            }
        };
        let (tell, mut told) = tokio::sync::oneshot::channel();
        std::thread::Builder::new().name("loop".into()).spawn(move || _ = tell.send(work()))?;
        let broken = |_| std::io::Error::other("the loop broke off");
        tokio::select! {
            done = &mut told => return done.map(Finished::Done).map_err(broken),
            _ = term.recv() => {}
            _ = int.recv() => {}
            () = hung_up => {}
        }
        stop.store(true, Ordering::SeqCst);
        let deadline = tokio::time::Instant::now() + GRACE;
        let mut idle = 0;
        loop {
            idle = if end_children() == 0 { idle + 1 } else { 0 };
            match tokio::time::timeout(ROUND, &mut told).await {
                Ok(done) => return done.map(Finished::Done).map_err(broken),
                Err(_) if idle > IDLE_ROUNDS || tokio::time::Instant::now() > deadline => {
                    return Ok(Finished::Abandoned);
                }
                Err(_) => {}
            }
        }
    })
}

/// Asks the wardens to end what they watch over. Says how many processes are at work for us.
fn end_children() -> usize {
    let me = std::process::id().to_string();
    let mut at_work = 0;
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(number) = process.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        if parent(&process.path()).as_deref() != Some(me.as_str()) {
            continue;
        }
        let words = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        let is = |word: &[u8]| words.split(|byte| *byte == 0).skip(1).take(3).any(|other| other == word);
        // The git that reads objects for us waits for questions; any other is doing something.
        at_work += usize::from(!is(b"cat-file"));
        if let (true, Some(number)) = (is(b"confine"), Pid::from_raw(number)) {
            let _ = kill_process(number, Signal::TERM);
        }
    }
    at_work
}

/// Behind the name in parentheses, which may hold anything, comes the state, then the parent.
fn parent(process: &std::path::Path) -> Option<String> {
    let stat = std::fs::read(process.join("stat")).ok()?;
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = String::from_utf8_lossy(&stat[end + 1..]).into_owned();
    rest.split_ascii_whitespace().nth(1).map(str::to_owned)
}
