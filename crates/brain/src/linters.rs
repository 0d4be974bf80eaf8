//! Linters: programs of this machine that a model which explores may have run on files of a change.
//!
//! Which there are, the configuration of the base commit says. A model picks one by its name, and files of the change.
//! A linter often obeys settings in the tree it looks at, and some run code from there, so it is treated as if the
//! change had written it: it is run by no shell, beside an export of the head that it can read and not write, without a
//! network, a secret or a home, in a process group of its own and for a limited time. Where the kernel cannot see to
//! that it is not run at all, unless the operator has set `sandbox: off`.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use domain::change::RepoPath;
use domain::config::{Linter, Sandbox};
use domain::text::short_line;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::act::{LinterJob, Linters, Printed};
use crate::agents::Scratch;
use crate::confine::{Limits, Policy, Processes, REFUSED, TOO_MANY_PROCESSES, Warden, installation, support};
use crate::process::{
    Ended, Job, NotTaken, Outcome, SpawnEnvironment, UnderReview, behind_proxy, ignore_lines, run_blocking,
};

/// What is kept of what a linter prints. A model is shown less.
const OUTPUT_LIMIT: usize = 256 << 10;
/// All paths together, well below what the system allows.
const ARGUMENT_BYTES: usize = 96 << 10;
/// How long it has to end after it was asked to, and how long its warden has.
const GRACE: Duration = Duration::from_secs(1);
const WARDEN_GRACE: Duration = Duration::from_secs(30);

/// Writes the files of the head into an empty directory, or says why it cannot.
pub type Export = Box<dyn Fn(&Path) -> Result<(), String> + Send + Sync>;

/// What linters are run with.
#[derive(Debug)]
pub struct Surroundings {
    pub warden: Warden,
    pub sandbox: Sandbox,
    pub scratch_root: PathBuf,
    /// The variables of which they may see a few.
    pub inherited: Vec<(OsString, OsString)>,
    pub under_review: UnderReview,
}

#[derive(Debug)]
struct Ready {
    program: PathBuf,
    arguments: Vec<OsString>,
    timeout: Duration,
    files: Option<GlobSet>,
}

struct Runner {
    ready: BTreeMap<String, Ready>,
    surroundings: Surroundings,
    export: Export,
    /// Written when the first linter is run, and gone with the last.
    exported: OnceLock<Result<Scratch, String>>,
}

/// What came of one run.
struct Ran {
    outcome: Outcome,
    timeout: Duration,
    /// Files that there was no room for.
    left_out: usize,
    export: PathBuf,
}

/// A glob that is none, for whoever wrote it down.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("model.linters.{linter}.files: {reason}")]
pub struct BadGlob {
    pub linter: String,
    pub reason: String,
}

/// The configured linters that can be run here, and what there is to say about the others. Nothing is run yet.
pub fn linters(
    configured: &BTreeMap<String, Linter>,
    surroundings: Surroundings,
    export: Export,
) -> Result<Option<Linters>, BadGlob> {
    if configured.is_empty() {
        return Ok(None);
    }
    let mut notes = Vec::new();
    let mut ready = BTreeMap::new();
    for (name, linter) in configured {
        let files = globs(name, &linter.files)?;
        match surroundings.program(linter) {
            Ok(program) => {
                let arguments = linter.command.iter().skip(1).map(OsString::from).collect();
                let timeout = Duration::from_secs(linter.timeout.into());
                ready.insert(name.clone(), Ready { program, arguments, timeout, files });
            }
            Err(why) => {
                notes.push(format!("Linter {name} was not run: its program {why}"));
            }
        }
    }
    match surroundings.sandbox {
        Sandbox::Off if !ready.is_empty() => notes.push(
            "NOT CONFINED: `sandbox: off` is set, so nothing kept linters from reading and writing whatever this user can"
                .to_owned(),
        ),
        Sandbox::Off => {}
        Sandbox::Preferred | Sandbox::Required => {
            let support = support();
            if !support.suffices() && !ready.is_empty() {
                ready.clear();
                notes.push(format!(
                    "No linter was run: this kernel cannot confine them (Landlock ABI {}, 4 is needed)",
                    support.abi
                ));
            }
        }
    }
    let allowed = ready.keys().cloned().collect();
    let runner = Runner { ready, surroundings, export, exported: OnceLock::new() };
    let runner = Arc::new(runner);
    let collecting = Arc::clone(&runner);
    Ok(Some(Linters {
        allowed,
        notes,
        run: Arc::new(move |job: &LinterJob| runner.run(job)),
        collect: Arc::new(move |job: &LinterJob| collecting.collect(job)),
    }))
}

fn globs(linter: &str, patterns: &[String]) -> Result<Option<GlobSet>, BadGlob> {
    let bad = |error: globset::Error| BadGlob { linter: linter.to_owned(), reason: error.to_string() };
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let everywhere = if pattern.contains('/') { "" } else { "**/" };
        let pattern = format!("{everywhere}{}", pattern.trim_start_matches("./"));
        set.add(GlobBuilder::new(&pattern).literal_separator(true).build().map_err(bad)?);
    }
    set.build().map(Some).map_err(bad)
}

impl Surroundings {
    fn program(&self, linter: &Linter) -> Result<PathBuf, NotTaken> {
        let wanted = linter.command.first().map_or("", String::as_str);
        let found = self.under_review.program(wanted, self.variable("PATH"))?;
        Ok(behind_proxy(&found, |name| self.variable(name)).unwrap_or(found))
    }

    /// Without places that the change may have put something into.
    fn path(&self) -> Option<OsString> {
        self.variable("PATH").map(|path| self.under_review.without(path))
    }

    fn variable(&self, name: &str) -> Option<&OsStr> {
        self.inherited.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_os_str())
    }

    fn environment(&self, scratch: &Scratch) -> Vec<(OsString, OsString)> {
        SpawnEnvironment::from_inherited(&self.inherited, [])
            .at_home_in(scratch.path())
            .with("PATH", self.path().unwrap_or_default())
            .with("GIT_CONFIG_NOSYSTEM", "1")
            .with("NO_COLOR", "1")
            .with("TERM", "dumb")
            .into_variables()
    }
}

impl Runner {
    fn run(&self, job: &LinterJob) -> Result<String, String> {
        let Ran { outcome, timeout, left_out, export } = self.ran(job)?;
        let mut said = told(&outcome, timeout)?;
        if left_out > 0 {
            said.push_str(&format!("\n{left_out} more files were left out; name some of them\n"));
        }
        // Where the export lies is nobody's business, and paths are to be those of the repository.
        Ok(said.replace(&format!("{}/", export.display()), ""))
    }

    fn collect(&self, job: &LinterJob) -> Result<Printed, String> {
        let Ran { outcome, timeout, left_out, export } = self.ran(job)?;
        let told = told(&outcome, timeout)?;
        match outcome.ended {
            Ended::Exited(_) if left_out > 0 => {
                Err(format!("{left_out} files are too many for one run of it"))
            }
            Ended::Exited(code) => {
                let place = format!("{}/", export.display());
                let printed = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&place, "");
                Ok(Printed { code, stdout: printed(&outcome.stdout), stderr: printed(&outcome.stderr) })
            }
            Ended::Killed(_) | Ended::TimedOut | Ended::Flooded | Ended::GivenUp => Err(short_line(&told)),
        }
    }

    fn ran(&self, job: &LinterJob) -> Result<Ran, String> {
        let ready = self.ready.get(&job.name).ok_or("there is no such linter")?;
        let export = self.export()?;
        let fitting = |path: &&RepoPath| {
            let path = Path::new(OsStr::from_bytes(path.as_bytes()));
            ready.files.as_ref().is_none_or(|files| files.is_match(path)) && is_file(&export.join(path))
        };
        let files: Vec<&RepoPath> = job.paths.iter().filter(fitting).collect();
        if files.is_empty() {
            return Err("none of the files is one that it is for".to_owned());
        }
        let (arguments, left_out) = as_arguments(&files);
        let scratch = Scratch::create(&self.surroundings.scratch_root)
            .map_err(|error| format!("there is no place for it: {error}"))?;
        let timeout = ready.timeout.min(job.timeout);
        let outcome = run_blocking(Job {
            program: self.surroundings.warden.program.clone(),
            arguments: self.surroundings.warden.arguments_for(
                &self.policy(ready, &export, &scratch, timeout),
                &ready.program,
                &ready.arguments.iter().cloned().chain(arguments).collect::<Vec<_>>(),
            ),
            directory: export.clone(),
            environment: self.surroundings.environment(&scratch),
            input: Vec::new(),
            timeout,
            grace: WARDEN_GRACE,
            output_limit: OUTPUT_LIMIT,
            on_line: &ignore_lines,
        })
        .map_err(|error| error.to_string())?;
        Ok(Ran { outcome, timeout, left_out, export })
    }

    fn policy(&self, ready: &Ready, export: &Path, scratch: &Scratch, timeout: Duration) -> Policy {
        let home = self.surroundings.variable("HOME").map(Path::new);
        let mut read = installation(&ready.program, self.surroundings.path().as_deref(), home);
        read.push(export.to_owned());
        Policy {
            sandbox: self.surroundings.sandbox,
            read,
            write: vec![scratch.path().to_owned()],
            ports: Vec::new(),
            processes: Processes::default(),
            limits: Limits { cpu_seconds: timeout.as_secs() * 8 + 1, ..Limits::default() },
            abandoned: Some(scratch.path().to_owned()),
            grace_ms: u64::try_from(GRACE.as_millis()).unwrap_or(u64::MAX),
        }
    }

    fn export(&self) -> Result<PathBuf, String> {
        let exported = self.exported.get_or_init(|| {
            let scratch = Scratch::create(&self.surroundings.scratch_root)
                .map_err(|error| format!("the files cannot be written out: {error}"))?;
            (self.export)(&scratch.files())?;
            Ok(scratch)
        });
        exported.as_ref().map(Scratch::files).map_err(Clone::clone)
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner").field("ready", &self.ready).finish_non_exhaustive()
    }
}

fn is_file(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|data| data.is_file())
}

/// With `./` in front, so that none is taken for an option; and how many there was no room for.
fn as_arguments(files: &[&RepoPath]) -> (Vec<OsString>, usize) {
    let mut arguments = Vec::new();
    let mut bytes = 0;
    for path in files {
        bytes += path.as_bytes().len() + 16;
        if bytes > ARGUMENT_BYTES {
            break;
        }
        let mut argument = OsString::from("./");
        argument.push(OsStr::from_bytes(path.as_bytes()));
        arguments.push(argument);
    }
    let left_out = files.len() - arguments.len();
    (arguments, left_out)
}

fn told(outcome: &Outcome, timeout: Duration) -> Result<String, String> {
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    let ended = match outcome.ended {
        Ended::Exited(code) if code == i32::from(REFUSED) => return Err(short_line(&stderr)),
        Ended::Exited(code) if code == i32::from(TOO_MANY_PROCESSES) => {
            return Err("it started too many processes, and was ended".to_owned());
        }
        Ended::Exited(code) => format!("exit code {code}"),
        Ended::Killed(signal) => format!("ended by signal {signal}"),
        Ended::TimedOut => format!("stopped after {} seconds", timeout.as_secs()),
        Ended::Flooded => "stopped, because it would not stop writing".to_owned(),
        Ended::GivenUp => return Err("nobody waited for it any more".to_owned()),
    };
    let nothing =
        if stdout.trim().is_empty() && stderr.trim().is_empty() { "; it printed nothing" } else { "" };
    let gap = if stdout.is_empty() || stdout.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{ended}{nothing}\n{stdout}{gap}{stderr}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_without_a_slash_match_in_every_folder() {
        let set = globs("x", &["*.py".into(), "./src/*.ts".into()]).unwrap().unwrap();
        for (path, matches) in
            [("a.py", true), ("a/b/c.py", true), ("src/a.ts", true), ("src/x/a.ts", false), ("a.rs", false)]
        {
            assert_eq!(set.is_match(path), matches, "{path}");
        }
        assert!(globs("x", &["[".into()]).unwrap_err().to_string().starts_with("model.linters.x.files: "));
        assert!(globs("x", &[]).unwrap().is_none());
    }

    #[test]
    fn no_file_is_taken_for_an_option_and_not_more_are_named_than_fit() {
        let hostile = RepoPath::from("--config=evil");
        assert_eq!(as_arguments(&[&hostile]), (vec!["./--config=evil".into()], 0));
        let long = RepoPath::from("x".repeat(50_000).as_str());
        assert_eq!(as_arguments(&[&long, &long, &hostile]).1, 2);
    }
}
