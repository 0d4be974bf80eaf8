//! What pipelines, hooks and owners asked for before the change, and what became of it.

use std::collections::HashSet;

use super::again::named_again;
use super::beginnings::Begun;
use super::checks::{STARTED, is_code};
use super::parts::{Part, part_of};
use super::tools::{Check, check_in, only_names};
use crate::context::{ChangeContext, FileContext};

/// Something that a line asked for: a check, or that the owner of a pattern looks.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    number: u32,
    line: &'a [u8],
    word: &'a [u8],
    check: Option<Check<'a>>,
}

/// What the lines that went out of a file asked for.
pub(super) fn asked<'a>(file: &FileContext<'a>, part: Part) -> impl Iterator<Item = Asked<'a>> {
    let code = file.change.removed().filter(|(_, line)| is_code(line));
    code.filter_map(move |(number, line)| match part {
        Part::Owners => {
            let word = first_word(line)?;
            Some(Asked { number, line, word, check: None })
        }
        Part::Pipeline | Part::Hook => {
            let check = check_in(line)?;
            Some(Asked { number, line, word: check.word, check: Some(check) })
        }
    })
}

fn added_code<'a>(file: &FileContext<'a>) -> impl Iterator<Item = &'a [u8]> {
    file.added().map(|line| line.text).filter(|line| is_code(line))
}

fn adds(file: &FileContext<'_>, word: &[u8]) -> bool {
    added_code(file).any(|line| memchr::memmem::find(line, word).is_some())
}

/// Those of the words that are asked for again: by their name, or by another check that looks for the same. A label that
/// names a check asks for nothing.
fn kept<'a, 'l>(all: &[Asked<'a>], lines: impl Iterator<Item = &'l [u8]>) -> HashSet<&'a [u8]> {
    let lines: Vec<&[u8]> = lines.filter(|line| !only_names(line)).collect();
    let words: HashSet<&[u8]> = all.iter().map(|one| one.word).collect();
    let mut found = named_again(words, lines.iter().copied());
    let mut new: Vec<Check<'l>> = Vec::new();
    for check in lines.into_iter().filter_map(check_in) {
        if !new.iter().any(|known| known.is_like(&check)) {
            new.push(check);
        }
    }
    let replaced = |check: &Check<'_>| new.iter().any(|other| check.is_replaced_by(other));
    found
        .extend(all.iter().filter(|one| one.check.is_some_and(|check| replaced(&check))).map(|one| one.word));
    found
}

/// Those of the patterns of owners that a line names again, or names a part of.
fn still_owned<'a, 'l>(all: &[Asked<'a>], lines: impl Iterator<Item = &'l [u8]>) -> HashSet<&'a [u8]> {
    let new = Begun::of(lines.filter_map(|line| Some(rooted(first_word(line)?))));
    all.iter().map(|one| one.word).filter(|word| new.by(rooted(word))).collect()
}

fn first_word(line: &[u8]) -> Option<&[u8]> {
    line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty())
}

/// `src/auth` of `/src/auth/`.
fn rooted(pattern: &[u8]) -> &[u8] {
    let pattern = pattern.strip_prefix(b"/").unwrap_or(pattern);
    pattern.strip_suffix(b"/").unwrap_or(pattern)
}

/// The first line that asked for something which no added line asks for again.
pub(super) fn lost<'a>(
    change: &ChangeContext<'a>,
    file: &FileContext<'a>,
    part: Part,
    moved: &Moved<'_>,
) -> Option<(u32, &'a [u8])> {
    let all: Vec<Asked<'a>> = asked(file, part).collect();
    if all.is_empty() {
        return None;
    }
    let run = change.files.iter().filter(|other| part != Part::Owners && is_run_by(other, file));
    let kept = match part {
        Part::Owners => still_owned(&all, added_code(file)),
        _ => kept(&all, added_code(file).chain(run.flat_map(added_code))),
    };
    let is_lost = |one: &&Asked<'_>| {
        !kept.contains(one.word)
            && !moved.to_another(part).contains(one.word)
            && !is_run_beside(change, file, part, one.line)
    };
    all.iter().find(is_lost).map(|one| (one.number, one.line))
}

/// Whether another pipeline that the change touches runs the same command, to the letter.
fn is_run_beside(change: &ChangeContext<'_>, file: &FileContext<'_>, part: Part, line: &[u8]) -> bool {
    let wanted = command(line);
    let others = change.files.iter().filter(|other| !std::ptr::eq(*other, file) && takes_over(other, part));
    part == Part::Pipeline
        && wanted.len() > 3
        && others.filter_map(FileContext::head).any(|head| {
            let mut lines = head.text().split(|byte| *byte == b'\n').filter(|line| is_code(line));
            lines.any(|line| command(line) == wanted)
        })
}

/// What a line runs, without the key in front of it.
fn command(line: &[u8]) -> &[u8] {
    const KEYS: [&[u8]; 3] = [b"- ", b"run:", b"script:"];
    KEYS.iter()
        .fold(line.trim_ascii(), |rest, key| rest.strip_prefix(*key).unwrap_or(rest).trim_ascii_start())
}

/// The checks that went out of pipelines and hooks and that a file which takes over from such a one names again.
#[derive(Debug, Default)]
pub(super) struct Moved<'a> {
    pipelines: HashSet<&'a [u8]>,
    hooks: HashSet<&'a [u8]>,
    owners: HashSet<&'a [u8]>,
}

impl<'a> Moved<'a> {
    pub(super) fn of(files: &[FileContext<'a>]) -> Self {
        let of = |part: Part| {
            let from = files.iter().filter(|file| part_of(file) == Some(part));
            let all: Vec<Asked<'a>> = from.flat_map(|file| asked(file, part)).collect();
            if all.is_empty() {
                return HashSet::new();
            }
            kept(&all, files.iter().filter(|file| takes_over(file, part)).flat_map(added_code))
        };
        Moved { pipelines: of(Part::Pipeline), hooks: of(Part::Hook), owners: HashSet::new() }
    }

    fn to_another(&self, part: Part) -> &HashSet<&'a [u8]> {
        match part {
            Part::Pipeline => &self.pipelines,
            Part::Hook => &self.hooks,
            Part::Owners => &self.owners,
        }
    }
}

/// Whether what a part asked for may have moved to this file: it decides over the same changes, or over all.
fn takes_over(file: &FileContext<'_>, part: Part) -> bool {
    let Some(here) = file.change.new.as_ref().and_then(|side| Part::of(&side.path)) else { return false };
    let runs = || file.head().is_some_and(|head| STARTED.regex().is_match(head.text()));
    match here {
        // Whether anybody runs what another system would run is only known where it did before.
        Part::Pipeline if !file.change.path().as_bytes().starts_with(b".github/workflows/") => {
            file.change.old.is_some()
        }
        Part::Pipeline => runs(),
        Part::Hook => part == Part::Hook,
        Part::Owners => false,
    }
}

/// Whether a pipeline runs since the change what a file holds: the targets of a makefile, the scripts of a package.
fn is_run_by(file: &FileContext<'_>, pipeline: &FileContext<'_>) -> bool {
    let Some(new) = file.change.new.as_ref() else { return false };
    let name = String::from_utf8_lossy(new.path.file_name());
    let runners: &[&str] = match name.to_ascii_lowercase().as_str() {
        "makefile" | "gnumakefile" => &["make "],
        "justfile" | ".justfile" => &["just "],
        "taskfile.yml" | "taskfile.yaml" => &["task "],
        "package.json" => &["npm ", "yarn ", "pnpm ", "bun "],
        "tox.ini" => &["tox"],
        "noxfile.py" => &["nox"],
        "rakefile" => &["rake "],
        script if script.ends_with(".sh") => return adds(pipeline, name.as_bytes()),
        _ => &[],
    };
    runners.iter().any(|runner| adds(pipeline, runner.as_bytes()))
}
