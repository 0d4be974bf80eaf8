use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use domain::change::RepoPath;

use crate::error::GitError;
use crate::text;

/// How git is started here, and the only place where it is.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) dir: PathBuf,
    pub(crate) vars: Vec<(OsString, OsString)>,
    /// Values of `safe.directory` that the caller's environment sets.
    pub(crate) trusted: Vec<OsString>,
}

/// Holds for every call. An empty `core.fsmonitor` is off in every version of git; `false` is a program
/// name in some. With the usual `core.checkStat`, a file cannot pass for untouched by its time stamp alone.
/// The commit graph is a cache that git believes without looking at the commits: written by hand, it would
/// move the base.
const CONFIG: [(&str, &str); 13] = [
    ("core.fsmonitor", ""),
    ("core.attributesFile", "/dev/null"),
    ("core.commitGraph", "false"),
    ("core.trustctime", "true"),
    ("core.checkStat", "default"),
    ("core.hooksPath", "/dev/null"),
    ("core.untrackedCache", "false"),
    ("core.quotePath", "true"),
    ("core.bigFileThreshold", "512m"),
    ("core.warnAmbiguousRefs", "false"),
    ("diff.suppressBlankEmpty", "false"),
    ("submodule.recurse", "false"),
    ("gc.auto", "0"),
];

/// No lock for an index refresh, no fetch into a partial clone by either of two bars, no prompt, no colour,
/// messages in English so that they can be recognised. No object stands for another and no commit has other
/// parents than its own: what is reviewed is what its name says. (The name of the graft file is one that
/// cannot exist.)
const VARS: [(&str, &str); 9] = [
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", "/dev/null/none"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LANG", "C"),
    ("LC_ALL", "C"),
];

/// How long a worktree may be in the making, and how often it is looked at.
const PATIENCE: Duration = Duration::from_secs(5);
const GLANCE: Duration = Duration::from_millis(10);

const STDERR_KEPT: u64 = 64 * 1024;

/// What a pipe holds, from where on output is long, and how long more of it is waited for.
pub(crate) const PIPE: usize = 64 * 1024;
const LONG: usize = 256 * 1024;
const PAUSE: Duration = Duration::from_millis(1);

/// One run of git.
#[derive(Debug, Default)]
pub(crate) struct Call {
    args: Vec<OsString>,
    config: Vec<(String, String)>,
    vars: Vec<(&'static str, &'static str)>,
    input: Vec<u8>,
    capacity: usize,
}

#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    command: String,
}

impl Call {
    pub(crate) fn new<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Call {
        Call { args: args.into_iter().map(|a| a.as_ref().to_owned()).collect(), ..Call::default() }
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Call {
        self.args.extend(args.into_iter().map(|a| a.as_ref().to_owned()));
        self
    }

    pub(crate) fn config(mut self, config: &[(String, String)]) -> Call {
        self.config.extend_from_slice(config);
        self
    }

    /// Instead of what holds for every call.
    pub(crate) fn var(mut self, name: &'static str, value: &'static str) -> Call {
        self.vars.push((name, value));
        self
    }

    pub(crate) fn input(mut self, input: Vec<u8>) -> Call {
        self.input = input;
        self
    }

    /// How much output is likely, to spare the copying while it grows.
    pub(crate) fn capacity(mut self, bytes: usize) -> Call {
        self.capacity = bytes;
        self
    }

    /// The subcommand, for messages.
    fn name(&self) -> String {
        let named = self.args.iter().find(|arg| !arg.as_encoded_bytes().starts_with(b"-"));
        named.map(|arg| arg.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

impl Program {
    pub(crate) fn in_dir(&self, dir: &Path) -> Program {
        Program { dir: dir.to_owned(), ..self.clone() }
    }

    fn command(&self, call: &Call) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(&self.dir).env_clear().arg("--no-pager").args(&call.args);
        command.envs(self.vars.iter().map(|(k, v)| (k, v))).envs(VARS);
        command.envs(call.vars.iter().copied());
        let trusted = self.trusted.iter().map(|dir| (OsStr::new("safe.directory"), dir.as_os_str()));
        let fixed = CONFIG.iter().map(|(key, value)| (OsStr::new(key), OsStr::new(value)));
        let own = call.config.iter().map(|(key, value)| (OsStr::new(key), OsStr::new(value)));
        let mut count = 0;
        for (key, value) in trusted.chain(fixed).chain(own) {
            command
                .env(format!("GIT_CONFIG_KEY_{count}"), key)
                .env(format!("GIT_CONFIG_VALUE_{count}"), value);
            count += 1;
        }
        command.env("GIT_CONFIG_COUNT", count.to_string());
        command
    }

    /// Starts git with all three streams piped.
    pub(crate) fn start(&self, call: &Call) -> Result<Child, GitError> {
        let mut command = self.command(call);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|e| GitError::Failed { command: call.name(), detail: e.to_string() })
    }

    /// Runs git to its end, whatever its exit code. What stumbles over a worktree that somebody else is just making is
    /// done again when that is made.
    pub(crate) fn run(&self, call: &Call) -> Result<Ran, GitError> {
        self.run_watched(call, &mut |_| {})
    }

    fn run_watched(&self, call: &Call, watch: &mut dyn FnMut(&[u8])) -> Result<Ran, GitError> {
        let began = Instant::now();
        loop {
            let ran = self.run_once(call, watch)?;
            if !ran.met_half_a_worktree() || began.elapsed() > PATIENCE {
                return Ok(ran);
            }
            thread::sleep(GLANCE);
        }
    }

    fn run_once(&self, call: &Call, watch: &mut dyn FnMut(&[u8])) -> Result<Ran, GitError> {
        let mut child = self.start(call)?;
        let failed = |e: std::io::Error| GitError::Failed { command: call.name(), detail: e.to_string() };
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut output = Vec::with_capacity(call.capacity.max(4096));
        let (read, complaints) = thread::scope(|scope| {
            // A git that stops early closes its end; what it then says on stderr tells more than that.
            let feeder = stdin.map(|mut pipe| scope.spawn(move || pipe.write_all(&call.input).ok()));
            let listener = stderr.map(|pipe| scope.spawn(move || drain(pipe)));
            let read = stdout.map_or(Ok(()), |pipe| collect(pipe, &mut output, watch));
            if let Some(feeder) = feeder {
                let _ = feeder.join();
            }
            (read, listener.and_then(|l| l.join().ok()).unwrap_or_default())
        });
        let status = child.wait().map_err(failed)?;
        read.map_err(failed)?;
        Ok(Ran { code: status.code(), stdout: output, stderr: complaints, command: call.name() })
    }

    /// Runs git and takes anything but success as an error.
    pub(crate) fn output(&self, call: &Call) -> Result<Vec<u8>, GitError> {
        self.output_watched(call, &mut |_| {})
    }

    /// The same for something long, of which `watch` is shown all that is there each time there is more.
    pub(crate) fn output_watched(
        &self,
        call: &Call,
        watch: &mut dyn FnMut(&[u8]),
    ) -> Result<Vec<u8>, GitError> {
        let ran = self.run_watched(call, watch)?;
        match ran.code {
            Some(0) => Ok(ran.stdout),
            _ => Err(ran.into_error(&self.dir)),
        }
    }
}

impl Ran {
    /// Git reads the entries of all worktrees and fails at one whose files are there and still empty.
    fn met_half_a_worktree(&self) -> bool {
        let said = || String::from_utf8_lossy(&self.stderr);
        self.code != Some(0)
            && said().lines().any(|line| {
                line.contains("failed to read ")
                    && line.contains("/worktrees/")
                    && line.ends_with(": Success")
            })
    }

    pub(crate) fn into_error(self, dir: &Path) -> GitError {
        explain(&self.command, &self.stderr, dir)
    }
}

/// Git writes long output in small pieces, and to be woken for each costs both of us more than to come for some of them at
/// once.
#[derive(Debug)]
pub(crate) struct Patient<R> {
    pipe: R,
    /// From where on output is long.
    long: usize,
    /// All that came so far, and the last piece of it.
    read: usize,
    last: usize,
}

impl<R> Patient<R> {
    pub(crate) fn new(pipe: R) -> Patient<R> {
        Patient { pipe, long: LONG, read: 0, last: 0 }
    }

    /// Where each piece is waited for by both sides.
    pub(crate) fn hurried(pipe: R) -> Patient<R> {
        Patient { long: usize::MAX, ..Patient::new(pipe) }
    }
}

impl<R: Read> Read for Patient<R> {
    fn read(&mut self, piece: &mut [u8]) -> std::io::Result<usize> {
        if self.read > self.long && self.last < PIPE / 4 {
            thread::sleep(PAUSE);
        }
        self.last = loop {
            match self.pipe.read(piece) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.read += self.last;
        Ok(self.last)
    }
}

/// Reads to the end, and shows all that is there each time there is more.
fn collect(pipe: impl Read, output: &mut Vec<u8>, watch: &mut dyn FnMut(&[u8])) -> std::io::Result<()> {
    let mut pipe = BufReader::with_capacity(PIPE, Patient::new(pipe));
    loop {
        let piece = pipe.fill_buf()?;
        if piece.is_empty() {
            return Ok(());
        }
        output.extend_from_slice(piece);
        let read = piece.len();
        pipe.consume(read);
        watch(output);
    }
}

/// Reads to the end and keeps the beginning, so that a flood of warnings neither blocks nor fills memory.
pub(crate) fn drain(mut pipe: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let _ = (&mut pipe).take(STDERR_KEPT).read_to_end(&mut kept);
    let _ = std::io::copy(&mut pipe, &mut std::io::sink());
    kept
}

/// Turns git's complaint into the error that it is.
pub(crate) fn explain(command: &str, stderr: &[u8], dir: &Path) -> GitError {
    let said = String::from_utf8_lossy(stderr);
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if says(&["dubious ownership", "unsafe repository"]) {
        return GitError::DubiousOwnership(dir.to_owned());
    }
    if says(&["not a git repository"]) {
        return GitError::NotARepository(dir.to_owned());
    }
    if let Some((path, reason)) = unreadable_file(&said) {
        return GitError::Unreadable { path, reason };
    }
    let detail = text::complaint(stderr);
    if says(&["lazy fetching disabled", "promisor remote", "unable to read ", "transport 'none'"])
        || (says(&["transport '"]) && says(&["not allowed"]))
    {
        return GitError::MissingObjects { detail };
    }
    let detail = if detail.is_empty() { "it was stopped".to_owned() } else { detail };
    GitError::Failed { command: command.to_owned(), detail }
}

/// `error: open("<path>"): <reason>`, then `fatal: cannot hash <path>`, which git does not quote.
fn unreadable_file(said: &str) -> Option<(RepoPath, String)> {
    let (before, after) = said.split_once("fatal: cannot hash ")?;
    let path = after.strip_suffix('\n').unwrap_or(after);
    let reason = before.trim_end().rsplit_once("\"): ").map_or("git cannot read it", |(_, reason)| reason);
    Some((RepoPath::from(path), text::shortened(reason, 100)))
}
