use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use bytes::Bytes;
use domain::change::Oid;

use crate::ahead::Ahead;
use crate::disk::BINARY_PROBE;
use crate::error::GitError;
use crate::program::{Call, PIPE, Patient, Program, drain, explain};

/// Objects by name through one `git cat-file --batch`, started when first needed. Requests wait for each
/// other; each takes some microseconds.
#[derive(Debug)]
pub(crate) struct Objects {
    program: Program,
    process: Mutex<Option<Process>>,
    ahead: Ahead,
}

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
        Objects { program, process: Mutex::new(None), ahead: Ahead::default() }
    }

    /// Anything git can make an object name of. A name that git refuses to think about ends the process,
    /// which the next request starts again.
    pub(crate) fn get(&self, name: &str, largest: u64) -> Result<Found, GitError> {
        if name.contains(['\n', '\0']) {
            return Ok(Found::Missing);
        }
        let mut slot = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let mut process = match slot.take() {
            Some(process) => process,
            None => Process::start(&self.program, Asked::OneByOne)?,
        };
        match process.request(name, largest) {
            Ok(found) => {
                *slot = Some(process);
                Ok(found)
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
    child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    stdout: BufReader<Patient<ChildStdout>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
}

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
        let stderr = child.stderr.take().map(|pipe| std::thread::spawn(move || drain(pipe)));
        let no_pipe = || GitError::Failed { command: "cat-file".into(), detail: "no pipe to it".into() };
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or_else(no_pipe)?;
        let stdout = match asked {
            Asked::OneByOne => Patient::hurried(stdout),
            Asked::AllAtOnce => Patient::new(stdout),
        };
        let stdout = BufReader::with_capacity(PIPE, stdout);
        Ok(Process { child, stdin, stdout, stderr })
    }

    fn request(&mut self, name: &str, largest: u64) -> std::io::Result<Found> {
        let stdin = self.stdin.as_mut().ok_or(std::io::ErrorKind::BrokenPipe)?;
        stdin.write_all(format!("{name}\n").as_bytes())?;
        stdin.flush()?;
        self.answer(largest)
    }

    pub(crate) fn answer(&mut self, largest: u64) -> std::io::Result<Found> {
        let mut header = Vec::new();
        self.stdout.read_until(b'\n', &mut header)?;
        if header.pop() != Some(b'\n') {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
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
        self.stderr.take().and_then(|listener| listener.join().ok()).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stdin.take();
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(listener) = self.stderr.take() {
            let _ = listener.join();
        }
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
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_pass_for_an_object_header() {
        let oid = "a1".repeat(20);
        assert!(parse_header(format!("{oid} blob 5").as_bytes()).is_some());
        assert!(parse_header(format!("{oid} blob 5 missing").as_bytes()).is_none());
        assert!(parse_header(format!("{oid} missing").as_bytes()).is_none());
        assert!(parse_header(b"\xff blob 5").is_none());
    }
}
