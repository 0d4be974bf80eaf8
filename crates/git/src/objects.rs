use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use domain::change::Oid;

use crate::ahead::Ahead;
use crate::disk::{self, BINARY_PROBE};
use crate::error::GitError;
use crate::program::{Call, PIPE, Patient, Program, drain, explain};

/// Objects by name through one `git cat-file --batch`, started when first needed. Requests wait for each
/// other; each takes some microseconds.
#[derive(Debug)]
pub(crate) struct Objects {
    program: Program,
    process: Mutex<Option<Process>>,
    ahead: Ahead,
    /// Folders that were asked for: the upper ones are on the way to everything.
    trees: Mutex<HashMap<String, Object>>,
}

/// Of a repository with more folders than this, those that are met later are read each time.
const MOST_TREES: usize = 2_048;

/// A larger folder is not kept.
const LARGEST_TREE: usize = 16 * 1024;

#[derive(Debug, Clone)]
pub(crate) enum Found {
    Object(Object),
    /// Only as much of it as tells text from binary.
    TooLarge {
        size: u64,
        beginning: Bytes,
    },
    Missing,
    Ambiguous,
}

/// Whether an object was there to be streamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamOutcome {
    Whole,
    Missing,
}

#[derive(Debug, Clone)]
pub(crate) struct Object {
    pub(crate) oid: Oid,
    pub(crate) kind: Kind,
    pub(crate) content: Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Blob,
    Tree,
    Commit,
    Tag,
}

impl Objects {
    pub(crate) fn new(program: Program) -> Objects {
        Objects { program, process: Mutex::new(None), ahead: Ahead::default(), trees: Mutex::default() }
    }

    /// The tree of that name, which has to say the same for good: an object name, or the tree of one.
    pub(crate) fn tree(&self, name: &str, largest: u64) -> Result<Object, GitError> {
        let known = || self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tree) = known().get(name) {
            return Ok(tree.clone());
        }
        match self.get(name, largest)? {
            Found::Object(tree) if tree.kind == Kind::Tree => {
                let mut trees = known();
                if trees.len() < MOST_TREES && tree.content.len() <= LARGEST_TREE {
                    trees.insert(name.to_owned(), tree.clone());
                }
                Ok(tree)
            }
            _ => Err(GitError::MissingObjects { detail: format!("the tree {name}") }),
        }
    }

    /// Anything git can make an object name of. A name that git refuses to think about ends the process,
    /// which the next request starts again.
    pub(crate) fn get(&self, name: &str, largest: u64) -> Result<Found, GitError> {
        if name.contains(['\n', '\0']) {
            return Ok(Found::Missing);
        }
        self.ask(|process| {
            process.request(name)?;
            process.answer(largest)
        })
    }

    /// Hands the whole object to `take`, a piece at a time.
    pub(crate) fn stream(&self, oid: &Oid, take: &mut dyn FnMut(&[u8])) -> Result<StreamOutcome, GitError> {
        self.ask(|process| {
            process.request(oid.as_str())?;
            process.stream(take)
        })
    }

    /// The process is kept if it answered, and started again by the next question if it did not.
    fn ask<T>(&self, question: impl FnOnce(&mut Process) -> std::io::Result<T>) -> Result<T, GitError> {
        let mut slot = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let mut process = match slot.take() {
            Some(process) => process,
            None => Process::start(&self.program, Asked::OneByOne)?,
        };
        match question(&mut process) {
            Ok(answer) => {
                *slot = Some(process);
                Ok(answer)
            }
            Err(error) => Err(explain_end(process, &error, &self.program)),
        }
    }

    /// The content of a blob that was read ahead.
    pub(crate) fn read_ahead(&self, oid: &Oid) -> Option<Bytes> {
        self.ahead.take(oid)
    }

    /// Begins to read what will be asked for.
    pub(crate) fn expect(&self, oids: Vec<Oid>) {
        self.ahead.start(&self.program, oids);
    }

    pub(crate) fn by_oid(&self, oid: &Oid, largest: u64) -> Result<Found, GitError> {
        self.get(oid.as_str(), largest)
    }
}

fn explain_end(process: Process, error: &std::io::Error, program: &Program) -> GitError {
    let stderr = process.last_words();
    match stderr.is_empty() {
        true => GitError::Failed { command: "cat-file".into(), detail: error.to_string() },
        false => explain("cat-file", &stderr, &program.dir),
    }
}

/// A `git cat-file` that answers in the order in which it is asked.
#[derive(Debug)]
pub(crate) struct Process {
    running: Running,
    pub(crate) stdin: Option<ChildStdin>,
    stdout: BufReader<Patient<ChildStdout>>,
    stderr: Receiver<Vec<u8>>,
}

/// Whoever holds it can end the process, also while somebody else waits for its answer.
#[derive(Debug, Clone)]
pub(crate) struct Running(Arc<Mutex<Child>>);

impl Running {
    pub(crate) fn stop(&self) {
        let mut child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// What a process said when it ended is there by then, unless one that it started goes on.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How objects are wanted of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// The next when the last is there.
    OneByOne,
    AllAtOnce,
}

impl Process {
    pub(crate) fn start(program: &Program, asked: Asked) -> Result<Process, GitError> {
        let call = Call::new(["cat-file", "--batch"]);
        let mut child = program.start(&match asked {
            Asked::OneByOne => call,
            Asked::AllAtOnce => call.args(["--buffer"]),
        })?;
        let (said, stderr) = mpsc::channel();
        let listen = |pipe| std::thread::spawn(move || said.send(drain(pipe)).unwrap_or_default());
        child.stderr.take().map(listen);
        let no_pipe = || GitError::Failed { command: "cat-file".into(), detail: "no pipe to it".into() };
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or_else(no_pipe)?;
        let stdout = match asked {
            Asked::OneByOne => Patient::hurried(stdout),
            Asked::AllAtOnce => Patient::new(stdout),
        };
        let stdout = BufReader::with_capacity(PIPE, stdout);
        Ok(Process { running: Running(Arc::new(Mutex::new(child))), stdin, stdout, stderr })
    }

    pub(crate) fn running(&self) -> Running {
        self.running.clone()
    }

    fn request(&mut self, name: &str) -> std::io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or(std::io::ErrorKind::BrokenPipe)?;
        stdin.write_all(format!("{name}\n").as_bytes())?;
        stdin.flush()
    }

    fn header(&mut self) -> std::io::Result<Vec<u8>> {
        let mut header = Vec::new();
        self.stdout.read_until(b'\n', &mut header)?;
        if header.pop() != Some(b'\n') {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        Ok(header)
    }

    fn stream(&mut self, take: &mut dyn FnMut(&[u8])) -> std::io::Result<StreamOutcome> {
        let header = self.header()?;
        let Some((_, _, size)) = parse_header(&header) else { return Ok(StreamOutcome::Missing) };
        if disk::stream(&mut (&mut self.stdout).take(size), take)? < size {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        self.stdout.read_exact(&mut [0])?;
        Ok(StreamOutcome::Whole)
    }

    pub(crate) fn answer(&mut self, largest: u64) -> std::io::Result<Found> {
        let header = self.header()?;
        if header.ends_with(b" ambiguous") {
            return Ok(Found::Ambiguous);
        }
        match parse_header(&header) {
            Some((oid, kind, size)) => self.content(oid, kind, size, largest),
            None => Ok(Found::Missing),
        }
    }

    fn content(&mut self, oid: Oid, kind: Kind, size: u64, largest: u64) -> std::io::Result<Found> {
        let found = if size > largest {
            let mut beginning = Vec::with_capacity(BINARY_PROBE);
            let mut content = (&mut self.stdout).take(size);
            (&mut content).take(BINARY_PROBE as u64).read_to_end(&mut beginning)?;
            std::io::copy(&mut content, &mut std::io::sink())?;
            Found::TooLarge { size, beginning: beginning.into() }
        } else {
            let mut content = vec![0; usize::try_from(size).map_err(std::io::Error::other)?];
            self.stdout.read_exact(&mut content)?;
            Found::Object(Object { oid, kind, content: content.into() })
        };
        self.stdout.read_exact(&mut [0])?;
        Ok(found)
    }

    fn last_words(mut self) -> Vec<u8> {
        self.stdin.take();
        self.stderr.recv_timeout(LAST_WORDS).unwrap_or_default()
    }
}

/// Nobody waits for what it may still say: where it was started by something in between, that is stopped, and it goes on
/// until it notices that its pipes are closed.
impl Drop for Process {
    fn drop(&mut self) {
        self.stdin.take();
        self.running.stop();
    }
}

/// `<oid> <type> <size>`; anything else, such as `<name> missing`, is `None`.
fn parse_header(header: &[u8]) -> Option<(Oid, Kind, u64)> {
    let mut words = std::str::from_utf8(header).ok()?.split(' ');
    let oid = Oid::parse(words.next()?)?;
    let kind = match words.next()? {
        "blob" => Kind::Blob,
        "tree" => Kind::Tree,
        "commit" => Kind::Commit,
        "tag" => Kind::Tag,
        _ => return None,
    };
    let size = words.next()?.parse().ok()?;
    words.next().is_none().then_some((oid, kind, size))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// Something else in the place of git.
    pub(crate) struct Script {
        dir: tempfile::TempDir,
    }

    impl Script {
        pub(crate) fn new(body: &str) -> Script {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("git");
            std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            Script { dir }
        }

        pub(crate) fn program(&self) -> Program {
            let vars = std::env::var_os("PATH").map(|path| ("PATH".into(), path)).into_iter().collect();
            let dir = self.dir.path().to_owned();
            Program { path: dir.join("git"), dir, vars, trusted: Vec::new() }
        }

        pub(crate) fn has(&self, file: &str) -> bool {
            self.dir.path().join(file).exists()
        }

        pub(crate) fn wait_for(&self, file: &str) {
            let tries = std::iter::repeat_n((), 6_000);
            assert!(tries.map(|()| std::thread::sleep(Duration::from_millis(5))).any(|()| self.has(file)));
        }
    }

    #[test]
    fn nobody_waits_for_what_git_leaves_running() {
        let git = Script::new("(yes; touch over) & touch ready; wait");
        let process = Process::start(&git.program(), Asked::OneByOne).unwrap();
        git.wait_for("ready");
        drop(process);
        // It notices that nobody reads any more.
        git.wait_for("over");
    }

    #[test]
    fn the_end_of_git_is_told_while_something_it_started_goes_on() {
        let git = Script::new("(sleep 20; touch over) >&- & exit 1");
        let error = Objects::new(git.program()).get("HEAD", 1).unwrap_err();
        assert!(matches!(error, GitError::Failed { .. }) && !git.has("over"), "{error}");
    }

    #[test]
    fn a_name_cannot_pass_for_an_object_header() {
        let oid = "a1".repeat(20);
        assert!(parse_header(format!("{oid} blob 5").as_bytes()).is_some());
        assert!(parse_header(format!("{oid} blob 5 missing").as_bytes()).is_none());
        assert!(parse_header(format!("{oid} missing").as_bytes()).is_none());
        assert!(parse_header(b"\xff blob 5").is_none());
    }
}
