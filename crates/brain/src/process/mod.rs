//! Programs that are run: with a short environment, bounded output, a time limit, and nothing left behind.

mod capture;
mod environment;
mod find;
mod run;
mod rustup;
mod under_review;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) use capture::{Beyond, capture};
pub use environment::{SpawnEnvironment, inherited};
pub use find::find_program;
pub(crate) use run::{DRAIN, Group, on_own_runtime, run_until, start, when};
pub use run::{run, run_blocking};
pub(crate) use rustup::behind_proxy;
pub use under_review::{NotTaken, UnderReview};

/// One run of a program.
pub struct Job<'a> {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub directory: PathBuf,
    /// All of it: nothing is inherited.
    pub environment: Vec<(OsString, OsString)>,
    /// What it reads from standard input.
    pub input: Vec<u8>,
    pub timeout: Duration,
    /// How long it is given to end after it was asked to, before it is killed.
    pub grace: Duration,
    /// A program that writes more than this to standard output is stopped: nobody could use it.
    pub output_limit: usize,
    /// Called with each line of standard output and standard error as it comes, without its line feed.
    pub on_line: &'a (dyn Fn(Stream, &[u8]) + Sync),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Output,
    Error,
}

/// What came of it. The program and its process group are gone by then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub ended: Ended,
    pub stdout: Vec<u8>,
    /// The beginning of it: enough for an error message.
    pub stderr: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Exited(i32),
    /// By a signal that we did not send.
    Killed(i32),
    /// By us, because its time was up.
    TimedOut,
    /// By us, because it would not stop writing.
    Flooded,
    /// By us, because nobody waits for it any more.
    GivenUp,
}

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("cannot start {program}: {source}")]
    Spawn { program: String, source: std::io::Error },
    #[error("cannot watch over {program}: {source}")]
    Watch { program: String, source: std::io::Error },
}

impl std::fmt::Debug for Job<'_> {
    /// Without the environment and the input, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job")
            .field("program", &self.program)
            .field("arguments", &self.arguments)
            .field("directory", &self.directory)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// For jobs whose lines are of no interest.
pub fn ignore_lines(_: Stream, _: &[u8]) {}
