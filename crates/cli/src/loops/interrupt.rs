//! Stopping cleanly.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::signal::unix::{SignalKind, signal};

/// How long work that was asked to stop may take to put its things away. Agents have five seconds themselves.
const GRACE: Duration = Duration::from_secs(15);

/// How supervised work came to its end.
pub(crate) enum Finished<T> {
    Done(T),
    /// It did not stop in time.
    Abandoned,
}

/// Does work on a thread of its own, and asks it to stop on Ctrl-C and SIGTERM: `stop` is set, and whatever it has started is
/// ended. Agents are in process groups of their own, which a terminal's Ctrl-C does not reach.
pub(crate) fn supervised<T: Send + 'static>(
    stop: &Arc<AtomicBool>,
    work: impl FnOnce() -> T + Send + 'static,
) -> std::io::Result<Finished<T>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut term = signal(SignalKind::terminate())?;
        let mut int = signal(SignalKind::interrupt())?;
        let (tell, mut told) = tokio::sync::oneshot::channel();
        std::thread::Builder::new().name("loop".into()).spawn(move || _ = tell.send(work()))?;
        let broken = |_| std::io::Error::other("the loop broke off");
        tokio::select! {
            done = &mut told => return done.map(Finished::Done).map_err(broken),
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
        stop.store(true, Ordering::SeqCst);
        let deadline = tokio::time::Instant::now() + GRACE;
        loop {
            end_children();
            let round = tokio::time::Duration::from_millis(200);
            match tokio::time::timeout(round, &mut told).await {
                Ok(done) => return done.map(Finished::Done).map_err(broken),
                Err(_) if tokio::time::Instant::now() > deadline => return Ok(Finished::Abandoned),
                Err(_) => {}
            }
        }
    })
}

/// Wardens end what they watch over when they are asked to.
fn end_children() {
    let me = std::process::id().to_string();
    let Ok(entries) = std::fs::read_dir("/proc") else { return };
    for entry in entries.flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        let stat = std::fs::read(entry.path().join("stat")).unwrap_or_default();
        // Behind the name in parentheses, which may hold anything: the state, then the parent.
        let Some(end) = stat.iter().rposition(|byte| *byte == b')') else { continue };
        let rest = String::from_utf8_lossy(&stat[end + 1..]).into_owned();
        let is_child = rest.split_ascii_whitespace().nth(1) == Some(me.as_str());
        if let (true, Some(process)) = (is_child, Pid::from_raw(process)) {
            let _ = kill_process(process, Signal::TERM);
        }
    }
}
