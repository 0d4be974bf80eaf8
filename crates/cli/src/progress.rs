use std::io::{IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Says on a terminal what is taking so long, from the first second on. Silent everywhere else.
#[derive(Debug)]
pub(crate) struct Progress {
    running: Option<(Sender<String>, JoinHandle<()>)>,
}

impl Progress {
    pub(crate) fn start(step: &str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Progress { running: None };
        }
        let (sender, steps) = mpsc::channel::<String>();
        let mut step = step.to_owned();
        let thread = std::thread::spawn(move || {
            let started = Instant::now();
            let mut shown = false;
            loop {
                match steps.recv_timeout(Duration::from_secs(1)) {
                    Ok(next) => {
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
            let _ = sender.send(step);
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
