use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, Command};

use super::capture::{Beyond, Captured, capture};
use super::{Ended, Job, Outcome, RunError, Stream};

const STDERR_LIMIT: usize = 256 * 1024;
/// How long the pipes are read after the program has ended. Only somebody who left its process group can still
/// hold them open.
pub(crate) const DRAIN: Duration = Duration::from_secs(2);
/// How often it is asked whether anybody still waits.
const ASKED_EVERY: Duration = Duration::from_millis(200);

/// Runs a program to its end, or ends it.
///
/// It runs in a process group of its own. Whatever happens, the group is gone when this returns. If the future is
/// dropped, the group is asked to end and killed after the grace, in the background.
pub async fn run(job: Job<'_>) -> Result<Outcome, RunError> {
    run_until(job, std::future::pending()).await
}

/// As [`run`], and ends it once `given_up` is ready.
pub(crate) async fn run_until(job: Job<'_>, given_up: impl Future<Output = ()>) -> Result<Outcome, RunError> {
    let mut group = start(&job)?;
    let watched = watch(&mut group, &job, given_up).await;
    watched.map_err(|source| RunError::Watch { program: job.program.display().to_string(), source })
}

/// Ready once `given_up` says so. It is asked now and then.
pub(crate) async fn when(given_up: &(dyn Fn() -> bool + Sync)) {
    while !given_up() {
        tokio::time::sleep(ASKED_EVERY).await;
    }
}

/// Starts a program in a process group of its own, and leaves it to the caller to talk with it and to end it. Input,
/// time limit and output limit of the job are the caller's to mind.
pub(crate) fn start(job: &Job<'_>) -> Result<Group, RunError> {
    let mut command = Command::new(&job.program);
    command
        .args(&job.arguments)
        .current_dir(&job.directory)
        .env_clear()
        .envs(job.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    let program = || job.program.display().to_string();
    let child = command.spawn().map_err(|source| RunError::Spawn { program: program(), source })?;
    Ok(Group::new(child, job.grace))
}

/// [`run`] for callers without a runtime, or on a thread of one.
pub fn run_blocking(job: Job<'_>) -> Result<Outcome, RunError> {
    let program = job.program.display().to_string();
    let watch = |source| RunError::Watch { program, source };
    on_own_runtime(|| run(job)).unwrap_or_else(|source| Err(watch(source)))
}

/// Waits for a future on a thread and a runtime of its own, so that the caller may be on a thread of another one.
pub(crate) fn on_own_runtime<F: Future>(make: impl FnOnce() -> F + Send) -> std::io::Result<F::Output>
where
    F::Output: Send,
{
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            Ok(runtime.block_on(make()))
        });
        worker.join().unwrap_or_else(|_| Err(std::io::Error::other("the thread that watched it broke")))
    })
}

async fn watch(
    group: &mut Group,
    job: &Job<'_>,
    given_up: impl Future<Output = ()>,
) -> std::io::Result<Outcome> {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let (input, output, error) = group.pipes()?;
    let ended = {
        let feed = feed(input, &job.input);
        let read_output =
            capture(Stream::Output, output, &mut stdout, job.output_limit, Beyond::Stop, job.on_line);
        let read_error =
            capture(Stream::Error, error, &mut stderr, STDERR_LIMIT, Beyond::Discard, job.on_line);
        tokio::pin!(feed, read_output, read_error);
        let deadline = tokio::time::sleep(job.timeout);
        tokio::pin!(deadline, given_up);
        let (mut fed, mut output_read, mut error_read) = (false, false, false);
        let ended = loop {
            tokio::select! {
                () = &mut feed, if !fed => fed = true,
                captured = &mut read_output, if !output_read => {
                    output_read = true;
                    if captured == Captured::Overflowed {
                        group.stop().await?;
                        break Ended::Flooded;
                    }
                }
                _ = &mut read_error, if !error_read => error_read = true,
                status = group.child.wait() => break ended_by(status?),
                () = &mut deadline => {
                    group.stop().await?;
                    break Ended::TimedOut;
                }
                () = &mut given_up => {
                    group.stop().await?;
                    break Ended::GivenUp;
                }
            }
        };
        group.kill_rest();
        let drain = async {
            if !output_read && read_output.await == Captured::Overflowed {
                return Some(Ended::Flooded);
            }
            if !error_read {
                read_error.await;
            }
            None
        };
        match ended {
            Ended::Flooded => ended,
            Ended::Exited(_) | Ended::Killed(_) | Ended::TimedOut | Ended::GivenUp => {
                tokio::time::timeout(DRAIN, drain).await.ok().flatten().unwrap_or(ended)
            }
        }
    };
    Ok(Outcome { ended, stdout, stderr })
}

/// A program may end, or close its input, without having read it all.
async fn feed(input: ChildStdin, bytes: &[u8]) {
    let mut input = input;
    if input.write_all(bytes).await.is_ok() {
        let _ = input.shutdown().await;
    }
}

fn ended_by(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Exited(code),
        (None, signal) => Ended::Killed(signal.unwrap_or_default()),
    }
}

/// A program and its process group, which do not outlive this.
pub(crate) struct Group {
    child: Child,
    /// Absent once the leader was waited for: its number may belong to somebody else by then.
    leader: Option<Pid>,
    grace: Duration,
}

impl Group {
    fn new(child: Child, grace: Duration) -> Group {
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Group { child, leader, grace }
    }

    pub(crate) fn pipes(
        &mut self,
    ) -> std::io::Result<(ChildStdin, tokio::process::ChildStdout, tokio::process::ChildStderr)> {
        match (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take()) {
            (Some(input), Some(output), Some(error)) => Ok((input, output, error)),
            _ => Err(std::io::Error::other("its pipes are missing")),
        }
    }

    /// How it ended, once it has by itself. What it left in its group is killed.
    pub(crate) async fn ended(&mut self) -> std::io::Result<Ended> {
        let status = self.child.wait().await?;
        self.kill_rest();
        Ok(ended_by(status))
    }

    /// Ends it with all of its group.
    pub(crate) async fn finish(&mut self) -> std::io::Result<()> {
        self.stop().await?;
        self.kill_rest();
        Ok(())
    }

    /// Asks the group to end, and kills it when the grace is over.
    async fn stop(&mut self) -> std::io::Result<()> {
        self.signal(Signal::TERM);
        if tokio::time::timeout(self.grace, self.child.wait()).await.is_err() {
            self.signal(Signal::KILL);
            self.child.wait().await?;
        }
        Ok(())
    }

    /// The leader has been waited for. As long as others are left in its group its number is not given away, and if
    /// none is, there is a moment in which it could be: far too short for the numbers to come round.
    fn kill_rest(&mut self) {
        self.signal(Signal::KILL);
        self.leader = None;
    }

    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            let _ = kill_process_group(leader, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let Some(leader) = self.leader.take() else { return };
        let _ = kill_process_group(leader, Signal::TERM);
        let grace = self.grace;
        // Not waited for: whoever drops a future is in a hurry.
        let _ = std::thread::Builder::new().name("end-group".into()).spawn(move || end(leader, grace));
    }
}

/// Waits for a group to end, kills what is left of it, and reaps its leader unless the runtime has.
fn end(leader: Pid, grace: Duration) {
    let started = Instant::now();
    let ended = || !matches!(waitpid(Some(leader), WaitOptions::NOHANG), Ok(None));
    while started.elapsed() < grace && !ended() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = kill_process_group(leader, Signal::KILL);
    let _ = waitpid(Some(leader), WaitOptions::empty());
}
