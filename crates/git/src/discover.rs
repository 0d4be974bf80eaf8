use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::disk::{self, os_path};
use crate::environment::Environment;
use crate::error::GitError;
use crate::program::{Call, Program, Ran};
use crate::repository::{AttributeSource, History, ObjectFormat, Place};
use crate::version::Version;

/// `git rev-parse` repeats an option it does not know, which makes a mark between paths that may hold
/// anything, line feeds included.
const MARK: &str = "--countersign-mark";

pub(crate) fn discover(path: &Path, environment: &Environment) -> Result<(Program, Place), GitError> {
    let mut start = path.canonicalize().map_err(|_| GitError::NoSuchPath(path.to_owned()))?;
    if !start.is_dir() {
        start.pop();
    }
    let git = environment.find_git().ok_or(GitError::GitNotInstalled)?;
    let mut vars = environment.everywhere().to_vec();
    if let Some((in_place, dir)) = environment.in_place_at(&start) {
        vars.extend_from_slice(in_place);
        start = dir.to_owned();
    }
    let program = Program { path: git, dir: start, vars, trusted: environment.trusted().to_vec() };
    let place = look_around(&program)?;
    let place = match leave_git_dir(&program, &place) {
        Some(outside) => look_around(&outside)?,
        None => place,
    };
    let home = place.work_tree.as_deref().unwrap_or(&place.git_dir);
    Ok((program.in_dir(home), place))
}

pub(crate) fn version(program: &Program) -> Result<Version, GitError> {
    let printed = program.output(&Call::new(["version"]))?;
    Version::parse(&printed).ok_or_else(|| GitError::Unexpected {
        command: "version".into(),
        detail: crate::text::complaint(&printed),
    })
}

/// From inside `.git`, the working tree it belongs to.
fn leave_git_dir(program: &Program, place: &Place) -> Option<Program> {
    let parent = place.git_dir.parent()?;
    let inside = place.work_tree.is_none() && place.git_dir.file_name()? == ".git";
    inside.then(|| program.in_dir(parent))
}

fn look_around(program: &Program) -> Result<Place, GitError> {
    let (ran, attributes) = ask_rev_parse(program)?;
    let (stdout, code) = (ran.stdout.clone(), ran.code);
    match parse_place(&stdout, attributes) {
        // Without a working tree git answers everything up to the last question, and fails on that.
        Some(place) if code == Some(0) || place.work_tree.is_none() => Ok(place),
        _ => Err(ran.into_error(&program.dir)),
    }
}

/// Asks with an option that git 2.41 introduced: one process tells where we are and whether it knows it.
fn ask_rev_parse(program: &Program) -> Result<(Ran, AttributeSource), GitError> {
    let questions = [
        "rev-parse",
        "--is-shallow-repository",
        "--show-object-format",
        MARK,
        "--show-prefix",
        MARK,
        "--absolute-git-dir",
        MARK,
        "--path-format=absolute",
        "--git-common-dir",
        MARK,
        "--show-toplevel",
    ];
    let ran = program.run(&Call::new(["--attr-source=HEAD"]).args(questions))?;
    let unknown = ran.code == Some(129) && String::from_utf8_lossy(&ran.stderr).contains("unknown option");
    if !unknown {
        return Ok((ran, AttributeSource::Choosable));
    }
    let version = version(program)?;
    if version < Version::OLDEST {
        return Err(GitError::GitTooOld(version));
    }
    Ok((program.run(&Call::new(questions))?, AttributeSource::WhateverIsCheckedOut))
}

fn parse_place(printed: &[u8], attributes: AttributeSource) -> Option<Place> {
    let mark = format!("{MARK}\n");
    let mut parts = Vec::new();
    let mut rest = printed;
    while let Some(at) = memchr::memmem::find(rest, mark.as_bytes()) {
        parts.push(&rest[..at]);
        rest = &rest[at + mark.len()..];
    }
    let [facts, prefix, git_dir, common_dir] = parts.as_slice() else {
        return None;
    };
    let mut facts = std::str::from_utf8(facts).ok()?.lines();
    let history = match facts.next()? {
        "true" => History::Shallow,
        _ => History::Complete,
    };
    let format = match facts.next()? {
        "sha256" => ObjectFormat::Sha256,
        _ => ObjectFormat::Sha1,
    };
    let path =
        |bytes: &[u8]| PathBuf::from(OsString::from(os_path(bytes.strip_suffix(b"\n").unwrap_or(bytes))));
    Some(Place {
        git_dir: path(git_dir),
        common_dir: path(common_dir),
        work_tree: (!rest.is_empty()).then(|| path(rest)),
        prefix: path(prefix),
        history,
        format,
        attributes,
        local_attributes: disk::local_attributes(&path(common_dir)),
    })
}
