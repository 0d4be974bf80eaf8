use std::io::{IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Says on a terminal what is taking so long, from the first second on. Everywhere else, only notes are told.
#[derive(Debug)]
pub(crate) struct Progress {
    running: Option<(Sender<Said>, JoinHandle<()>)>,
}

/// For whoever shows it.
#[derive(Debug)]
enum Said {
    /// What is done from now on.
    Step(String),
    /// A line that stays.
    Note(String),
}

impl Progress {
    pub(crate) fn start(step: &str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Progress { running: None };
        }
        let (sender, steps) = mpsc::channel::<Said>();
        let mut step = step.to_owned();
        let thread = std::thread::spawn(move || {
            let started = Instant::now();
            let mut shown = false;
            loop {
                match steps.recv_timeout(Duration::from_secs(1)) {
                    Ok(Said::Note(line)) => status(&format!("\r\x1b[2K{line}\n")),
                    Ok(Said::Step(next)) => {
                        step = next;
                        if step.is_empty() && std::mem::take(&mut shown) {
                            status("\r\x1b[2K");
                        }
                    }
                    // Nothing to say: somebody may be typing.
                    Err(RecvTimeoutError::Timeout) if step.is_empty() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        shown = true;
                        status(&format!("\r\x1b[2K{step}, {} s", started.elapsed().as_secs()));
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            if shown {
                status("\r\x1b[2K");
            }
        });
        Progress { running: Some((sender, thread)) }
    }

    pub(crate) fn step(&self, step: String) {
        if let Some((sender, _)) = &self.running {
            // The thread ends only when this sender does.
            let _ = sender.send(Said::Step(step));
        }
    }

    /// What somebody should know at once, whether or not there is a terminal: it stays where it is written.
    pub(crate) fn note(&self, line: String) {
        match &self.running {
            Some((sender, _)) => _ = sender.send(Said::Note(line)),
            None => crate::pretty::note(&line),
        }
    }
}

fn status(text: &str) {
    let mut stderr = std::io::stderr();
    // Progress is a courtesy: failing to show it must not fail the work.
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.running.take() {
            drop(sender);
            let _ = thread.join();
        }
    }
}

/// What is said when a review begins.
pub(crate) fn reviewing(files: usize) -> String {
    format!("Reviewing {}", crate::pretty::count(files, "file"))
}
