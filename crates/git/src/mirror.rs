//! A copy of a repository on a forge, for reviews of what is not here.
//!
//! Bare, ours alone, and kept between reviews, so that each of them fetches what is new and nothing else. This is the only
//! part of the crate that talks to another machine, and only to the one it is told.
//!
//! Two locks, both of the kernel, which takes them back from whoever dies: one is held by whoever fetches or tidies, the
//! other is shared by whoever reads. What nobody has asked for in a while is tidied away ([`crate::tidy_mirrors`],
//! [`Mirror::tidy`]); what somebody reads is not.

use std::fs::File;
use std::path::{Path, PathBuf};

use domain::change::Oid;

use crate::environment::Environment;
use crate::error::GitError;
use crate::locks;
use crate::program::{Call, Program};
use crate::repository::Repository;

/// Where a mirror gets its commits from.
#[derive(Clone, Copy)]
pub struct Remote<'a> {
    /// `https://`, `http://`, or an absolute path.
    pub url: &'a str,
    /// The value of an `Authorization` header. Handed to git by its environment: no argument and no file ever holds it.
    pub authorization: Option<&'a str>,
}

/// Not even by accident.
impl std::fmt::Debug for Remote<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Held for as long as somebody fetches into it.
#[derive(Debug)]
pub struct Mirror {
    pub(crate) program: Program,
    pub(crate) folder: PathBuf,
    _lock: File,
}

/// Somebody reads what is in a mirror: nothing of it is tidied away meanwhile.
#[derive(Debug)]
pub struct InUse {
    _shared: File,
}

/// What to fetch, by its name there, and what it is called here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub theirs: String,
    pub ours: String,
}

impl Mirror {
    /// Makes one in `folder` if there is none. Waits while somebody else has it.
    pub fn open(folder: &Path, environment: &Environment) -> Result<Mirror, GitError> {
        let unwritable = |error: std::io::Error| GitError::Unwritable {
            path: folder.to_owned(),
            reason: error.to_string(),
        };
        let lock = locks::hold(folder).map_err(unwritable)?;
        let git = environment.find_git().ok_or(GitError::GitNotInstalled)?;
        let program = Program {
            path: git,
            dir: folder.to_owned(),
            vars: [environment.everywhere(), environment.network()].concat(),
            trusted: vec![folder.as_os_str().to_owned()],
        };
        if !folder.join("HEAD").exists() {
            program.output(&Call::new(["init", "--quiet", "--bare", "--initial-branch=countersign", "."]))?;
        }
        Ok(Mirror { program, folder: folder.to_owned(), _lock: lock })
    }

    /// Brings refs up to date. What was force-pushed there moves here, too.
    pub fn fetch(&self, remote: Remote<'_>, wanted: &[Wanted]) -> Result<(), GitError> {
        let allowed = protocol(remote.url)?;
        for name in wanted.iter().flat_map(|one| [&one.theirs, &one.ours]) {
            self.check_name(name)?;
        }
        let mut config = vec![
            ("credential.helper".to_owned(), String::new()),
            // A header follows a redirect to wherever it leads.
            ("http.followRedirects".to_owned(), "false".to_owned()),
            ("http.lowSpeedLimit".to_owned(), "100".to_owned()),
            ("http.lowSpeedTime".to_owned(), "60".to_owned()),
            ("fetch.unpackLimit".to_owned(), "1".to_owned()),
        ];
        if let Some(authorization) = remote.authorization {
            config.push((
                format!("http.{}.extraHeader", remote.url),
                format!("Authorization: {authorization}"),
            ));
        }
        let specs = wanted.iter().map(|one| format!("+{}:{}", one.theirs, one.ours));
        let call =
            Call::new(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"])
                .args(["--no-auto-maintenance", "--end-of-options", remote.url])
                .args(specs)
                .config(&config)
                .var("GIT_ALLOW_PROTOCOL", allowed);
        let ran = self.program.run(&call)?;
        match ran.code {
            Some(0) => self.seen(wanted),
            _ => Err(unfetched(remote, &ran.stderr)),
        }
    }

    /// For whoever goes on reading when the mirror is given back.
    pub fn in_use(&self) -> Result<InUse, GitError> {
        match locks::share(&self.folder) {
            Ok(shared) => Ok(InUse { _shared: shared }),
            Err(error) => Err(GitError::Unwritable { path: self.folder.clone(), reason: error.to_string() }),
        }
    }

    /// Where a ref is here.
    pub fn tip(&self, name: &str) -> Result<Option<Oid>, GitError> {
        self.check_name(name)?;
        let ran =
            self.program.run(&Call::new(["rev-parse", "--verify", "--quiet", "--end-of-options", name]))?;
        let text = String::from_utf8_lossy(&ran.stdout);
        Ok(Oid::parse(text.trim()).filter(|_| ran.code == Some(0)))
    }

    /// Whether it has this commit, from whichever fetch.
    pub fn has(&self, commit: &Oid) -> Result<bool, GitError> {
        let name = format!("{commit}^{{commit}}");
        let ran = self.program.run(&Call::new(["cat-file", "-e", &name]))?;
        Ok(ran.code == Some(0))
    }

    /// For reviews. Commits are kept for as long as it is [in use](Mirror::in_use); refs may move.
    pub fn repository(&self) -> Result<Repository, GitError> {
        Repository::discover(&self.folder)
    }

    fn check_name(&self, name: &str) -> Result<(), GitError> {
        let fits = name.starts_with("refs/")
            && self.program.run(&Call::new(["check-ref-format", name]))?.code == Some(0);
        match fits {
            true => Ok(()),
            false => Err(GitError::BadRevision { name: name.to_owned(), reason: "it is no name of a ref" }),
        }
    }
}

/// No other program is started for an address than git's own for http.
fn protocol(url: &str) -> Result<&'static str, GitError> {
    let begins = |start: &str| url.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start));
    let plain = !url.contains(|c: char| c.is_control() || c.is_whitespace());
    if plain && (begins("https://") || begins("http://")) {
        Ok("https:http")
    } else if plain && Path::new(url).is_absolute() {
        Ok("file")
    } else {
        Err(GitError::BadRemote(crate::text::shortened(url, 100)))
    }
}

fn unfetched(remote: Remote<'_>, stderr: &[u8]) -> GitError {
    let said = String::from_utf8_lossy(stderr);
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let url = crate::text::shortened(remote.url, 100);
    let mut detail = crate::text::complaint(stderr);
    if let Some(secret) = remote.authorization.and_then(|value| value.split_whitespace().last()) {
        detail = detail.replace(secret, "***");
    }
    if says(&["couldn't find remote ref"]) {
        return GitError::NotThere { url, detail };
    }
    let refused =
        ["Authentication failed", "could not read Username", "error: 403", "error: 401", "' not found"];
    if says(&refused) {
        return GitError::NotLetIn { url, detail };
    }
    GitError::Unreachable { url, detail }
}
