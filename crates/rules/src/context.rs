use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use domain::change::{Change, Content, FileChange, Hunk, LineKind, Mode, RepoPath, Side, Span, Status};
use domain::ports::{ReviewRequest, SourceError};
use domain::review::SkipReason;

use crate::language::{Language, is_test_path};
use crate::mask::Kind;
use crate::rules::{Pairing, pairs};
use crate::source::{Source, without_mark};
use crate::syntax::{self, Node, Replaced, Touched, Tree};

/// A line that the change added, with its number in the new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddedLine<'a> {
    pub number: u32,
    pub text: &'a [u8],
}

impl<'a> AddedLine<'a> {
    /// A byte order mark in front of the file is no part of its first line.
    pub(crate) fn new(number: u32, text: &'a [u8]) -> Self {
        AddedLine { number, text: if number == 1 { without_mark(text) } else { text } }
    }
}

/// A file of the change as rules see it. Whole sources are read when a rule first asks, once for all rules.
#[derive(Debug)]
pub struct FileContext<'a> {
    pub change: &'a FileChange,
    pub language: Language,
    pub skipped: Option<SkipReason>,
    request: ReviewRequest<'a>,
    test_path: bool,
    head: OnceLock<Result<Option<Source>, SourceError>>,
    base: OnceLock<Result<Option<Source>, SourceError>>,
    /// Why a binary file was not looked through to its end.
    unscanned: OnceLock<SourceError>,
    touched: OnceLock<Touched>,
    lost: OnceLock<()>,
    /// Whether it may offer less than before.
    less: OnceLock<bool>,
    shared: Arc<Shared>,
}

/// What rules that look at one file want to know of the whole change, found once for all files that have this in common.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// The names that added lines of Python let classes inherit from.
    pub(crate) inherited: OnceLock<HashSet<Vec<u8>>>,
}

/// The whole change as rules see it.
#[derive(Debug)]
pub struct ChangeContext<'a> {
    pub request: ReviewRequest<'a>,
    /// In the order of the change.
    pub files: &'a [FileContext<'a>],
    pairing: Pairing<'a>,
}

impl<'a> ChangeContext<'a> {
    pub fn new(request: ReviewRequest<'a>, files: &'a [FileContext<'a>]) -> Self {
        ChangeContext { request, files, pairing: pairs(files) }
    }

    /// The tests of the change, each beside what it was before.
    pub(crate) fn pairing(&self) -> &Pairing<'a> {
        &self.pairing
    }
}

impl<'a> FileContext<'a> {
    pub fn new(change: &'a FileChange, request: ReviewRequest<'a>) -> Self {
        let path = change.path();
        let language = match Language::of(path) {
            Language::Unknown => language_by_first_line(change, request),
            known => known,
        };
        FileContext {
            change,
            language,
            skipped: SkipReason::of(change),
            request,
            test_path: is_test_path(path),
            head: OnceLock::new(),
            base: OnceLock::new(),
            unscanned: OnceLock::new(),
            touched: OnceLock::new(),
            lost: OnceLock::new(),
            less: OnceLock::new(),
            shared: Arc::default(),
        }
    }

    /// All files of a change that are to be looked at together.
    pub(crate) fn all(
        changes: impl IntoIterator<Item = &'a FileChange>,
        request: ReviewRequest<'a>,
    ) -> Vec<Self> {
        let shared = Arc::default();
        let of = |change| FileContext { shared: Arc::clone(&shared), ..FileContext::new(change, request) };
        changes.into_iter().map(of).collect()
    }

    /// The file as whoever would undo the change sees it: `back` is its change, reversed. `None` where it had no text before,
    /// or was something else.
    pub(crate) fn undone<'r>(&self, back: &'r FileChange) -> Option<FileContext<'r>>
    where
        'a: 'r,
    {
        let path = &back.new.as_ref()?.path;
        let known = Language::of(path);
        if known != Language::Unknown && known != self.language {
            return None;
        }
        let side = |source: Option<&Source>| OnceLock::from(Ok(source.map(Source::afresh)));
        Some(FileContext {
            change: back,
            language: self.language,
            skipped: self.skipped,
            request: self.request,
            test_path: is_test_path(path),
            head: side(Some(self.base()?)),
            base: side(self.head()),
            unscanned: OnceLock::new(),
            touched: OnceLock::new(),
            lost: OnceLock::new(),
            less: OnceLock::new(),
            shared: Arc::clone(&self.shared),
        })
    }

    /// Remembers that the values in it are too many to be followed.
    pub(crate) fn loses_track(&self) {
        self.lost.get_or_init(|| ());
    }

    pub(crate) fn has_lost_track(&self) -> bool {
        self.lost.get().is_some()
    }

    /// Whether others may find less in it than before, as `find` says when it is asked first.
    pub(crate) fn offers_less(&self, find: impl FnOnce() -> bool) -> bool {
        *self.less.get_or_init(find)
    }

    /// The change that the file is part of.
    pub(crate) fn whole_change(&self) -> &'a Change {
        self.request.change
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub fn added(&self) -> impl Iterator<Item = AddedLine<'a>> {
        self.change.added().map(|(number, text)| AddedLine::new(number, text))
    }

    /// The path, if no file had it before the change: that of a new file, or of one that moved.
    pub fn new_path(&self) -> Option<&'a RepoPath> {
        new_path(self.change)
    }

    /// Whether the file holds tests by its name or folder.
    pub fn is_test_file(&self) -> bool {
        self.test_path
    }

    /// Whether the line belongs to a test: by the file's path, or by a test module around it.
    pub fn in_test(&self, line: u32) -> bool {
        self.test_path || self.head().is_some_and(|head| head.in_test(line))
    }

    /// The file after the change; `None` if it is gone, or cannot be read, which [`Self::failure`] remembers.
    pub fn head(&self) -> Option<&Source> {
        self.head.get_or_init(|| self.read(Side::New)).as_ref().ok()?.as_ref()
    }

    /// The file after the change, if somebody asked for its tree and there is none.
    pub(crate) fn unparsed(&self) -> Option<&Source> {
        self.head.get()?.as_ref().ok()?.as_ref().filter(|head| head.gave_up())
    }

    /// Hands a file that no diff shows to `take`, a piece at a time. If it cannot be read to its end,
    /// [`Self::failure`] remembers that.
    pub(crate) fn stream_binary(&self, take: &mut dyn FnMut(&[u8])) {
        if !matches!(self.change.content, Content::Binary) || self.change.new.is_none() {
            return;
        }
        if let Err(error) = self.request.sources.stream(self.change, Side::New, take) {
            self.unscanned.get_or_init(|| error);
        }
    }

    /// Whether a file that is new under this path stood under another one with the same name before, to the letter.
    pub(crate) fn stands_in_base(&self) -> bool {
        /// So many files of the base are listed, and so many of that name are read.
        const MOST_LISTED: usize = 5_000;
        const MOST_READ: usize = 10;
        let Some(head) =
            self.head().filter(|_| matches!(self.change.status, Status::Added | Status::Copied(_)))
        else {
            return false;
        };
        let sources = self.request.sources;
        let listed = sources.list_base_below(&RepoPath::from(""), MOST_LISTED).unwrap_or_default();
        let named = listed.iter().filter(|path| path.file_name() == self.change.path().file_name());
        let text = |path| sources.read_path(path, Side::Old).ok().flatten();
        named.take(MOST_READ).filter_map(text).any(|text| text == head.text())
    }

    /// The file before the change.
    pub fn base(&self) -> Option<&Source> {
        self.base.get_or_init(|| self.read(Side::Old)).as_ref().ok()?.as_ref()
    }

    /// The file after the change as a tree, parsed once for all rules. `None` where there is no grammar for it, or it is
    /// too large or nested too deep to be worth it.
    pub fn tree(&self) -> Option<&Tree> {
        let table = syntax::table(self.language, &self.change.new.as_ref()?.path)?;
        let head = self.head()?;
        head.tree(table, || self.grown_from(self.base.get()?, head, Side::New))
    }

    /// The file after the change as a tree in which bodies of functions that the change did not touch may be empty: for
    /// rules that look at nothing in there. Where it cannot be had for less than [`Self::tree`], it is that.
    pub fn touched_tree(&self) -> Option<&Tree> {
        let table = syntax::table(self.language, &self.change.new.as_ref()?.path)?;
        let head = self.head()?;
        let folded = || Some(&head.folded(table, self.touched_lines())?.tree);
        head.parsed().or_else(folded).or_else(|| self.tree())
    }

    /// The file before and after the change, for what compares the two: with the same bodies left out on either side, or
    /// with none.
    pub fn sides(&self) -> (Option<&Tree>, Option<&Tree>) {
        match self.folded_sides() {
            Some((base, head)) => (Some(base), Some(head)),
            None => (self.base_tree(), self.tree()),
        }
    }

    fn folded_sides(&self) -> Option<(&Tree, &Tree)> {
        let (old, new) = (self.change.old.as_ref()?, self.change.new.as_ref()?);
        let table = syntax::table(self.language, &new.path)?;
        let is_one_language =
            syntax::table(self.language, &old.path).is_some_and(|old| std::ptr::eq(old, table));
        let (base, head) = (self.base().filter(|_| is_one_language)?, self.head()?);
        if base.parsed().is_some() || head.parsed().is_some() {
            return None;
        }
        let folded = head.folded(table, self.touched_lines())?;
        let replaced = self.replaced(head, base, Side::Old);
        Some((&base.folded_as(table, head, &replaced)?.tree, &folded.tree))
    }

    /// The file before the change as a tree. Of the two, the second one asked for is made from the first.
    pub fn base_tree(&self) -> Option<&Tree> {
        let table = syntax::table(self.language, &self.change.old.as_ref()?.path)?;
        let base = self.base()?;
        base.tree(table, || self.grown_from(self.head.get()?, base, Side::Old))
    }

    /// The tree of one side, if there is one, and what differs on the wanted one.
    fn grown_from<'s>(
        &self,
        other: &'s Result<Option<Source>, SourceError>,
        wanted: &Source,
        side: Side,
    ) -> Option<(&'s Tree, Vec<Replaced>)> {
        let other = other.as_ref().ok()?.as_ref()?;
        Some((other.parsed()?, self.replaced(other, wanted, side)))
    }

    /// What differs on the wanted side, by the hunks.
    fn replaced(&self, other: &Source, wanted: &Source, side: Side) -> Vec<Replaced> {
        let runs = self.change.hunks().iter().flat_map(Hunk::replaced);
        runs.map(|(old, new)| match side {
            Side::New => Replaced { old: bytes(other, old), new: bytes(wanted, new) },
            Side::Old => Replaced { old: bytes(other, new), new: bytes(wanted, old) },
        })
        .collect()
    }

    /// Gives up what is large and can be made again, when all that looks at this file alone is done.
    pub(crate) fn slimmed(&mut self) {
        for side in [&mut self.head, &mut self.base] {
            if let Some(Ok(Some(source))) = side.get_mut() {
                source.slimmed();
            }
        }
    }

    /// Which lines the change touched.
    pub fn touched_lines(&self) -> &Touched {
        self.touched.get_or_init(|| Touched::of(self.change))
    }

    /// Whether the change touched a node of [`Self::tree`]: it holds an added line, or a line in it is gone.
    pub fn touched(&self, node: Node<'_>) -> bool {
        self.touched_lines().head(node)
    }

    /// What a byte of an added line is. `None` if the file cannot be read.
    pub fn kind(&self, line: &AddedLine<'_>, column: usize) -> Option<Kind> {
        self.head().map(|head| head.kind(line.number, column))
    }

    pub(crate) fn failure(&self) -> Option<&SourceError> {
        let unread = [&self.head, &self.base].into_iter().find_map(|side| side.get()?.as_ref().err());
        unread.or_else(|| self.unscanned.get())
    }

    fn read(&self, side: Side) -> Result<Option<Source>, SourceError> {
        if self.change.side(side).is_none() {
            return Ok(None);
        }
        if let Some(text) = self.shown(side) {
            return Ok(Some(Source::new(text, self.language)));
        }
        match self.request.sources.read(self.change, side)? {
            Some(text) => Ok(Some(Source::new(text, self.language))),
            None => Err(SourceError {
                path: self.change.path().to_string(),
                reason: "the diff shows it, but it is not there".to_owned(),
            }),
        }
    }

    /// A side that follows from the diff, or from the diff and the other side: it does not have to be read. Where the new
    /// side is a file on disk, a filter may stand between it and the diff.
    fn shown(&self, side: Side) -> Option<Bytes> {
        let before = |after: &[u8]| self.change.before(after).map(Bytes::from);
        match (self.change.status, side) {
            (Status::Added, Side::New) => {
                matches!(self.change.content, Content::Text(_)).then(|| whole_text(self.change))
            }
            (Status::Deleted, Side::Old) => before(b""),
            (Status::Modified | Status::Renamed(_), Side::Old) => {
                self.change.new.as_ref()?.oid.as_ref()?;
                before(self.head()?.text())
            }
            _ => None,
        }
    }
}

/// Of a script without an ending. The diff mostly shows the line; else only what can be run is worth reading.
fn language_by_first_line(change: &FileChange, request: ReviewRequest<'_>) -> Language {
    let Some(side) = change.new.as_ref().filter(|side| !side.path.file_name().contains(&b'.')) else {
        return Language::Unknown;
    };
    let mut shown = change.hunks().iter().take(1).flat_map(Hunk::lines);
    if let Some(first) = shown.find(|line| line.new == Some(1)) {
        return Language::of_interpreter(without_mark(first.text));
    }
    let is_program = side.mode == Mode::Executable && !change.hunks().is_empty();
    let text = is_program.then(|| request.sources.read(change, Side::New).ok().flatten()).flatten();
    text.map_or(Language::Unknown, |text| {
        Language::of_interpreter(text.split(|byte| *byte == b'\n').next().unwrap_or_default())
    })
}

fn bytes(source: &Source, lines: Span) -> std::ops::Range<usize> {
    source.start_of(lines.start)..source.start_of(lines.start.saturating_add(lines.len))
}

pub(crate) fn new_path(file: &FileChange) -> Option<&RepoPath> {
    let path = &file.new.as_ref()?.path;
    file.old.as_ref().is_none_or(|old| old.path != *path).then_some(path)
}

/// The diff of a new file is the file: nothing has to be read.
fn whole_text(file: &FileChange) -> Bytes {
    let lines = file.hunks().iter().flat_map(Hunk::lines).filter(|line| line.kind == LineKind::Added);
    let mut text = Vec::new();
    for line in lines {
        text.extend_from_slice(line.text);
        if line.newline {
            text.push(b'\n');
        }
    }
    text.into()
}
