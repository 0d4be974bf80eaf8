use std::sync::OnceLock;

use bytes::Bytes;

use crate::brackets::Brackets;
use crate::fold::{self, Body};
use crate::language::Language;
use crate::lines::LineIndex;
use crate::mask::{Kind, Mask};
use crate::syntax::{self, Replaced, Table, Touched, Tree};

/// One side of a file, whole: its text, its lines, and what of it is code.
#[derive(Debug)]
pub struct Source {
    text: Bytes,
    language: Language,
    lines: LineIndex,
    mask: OnceLock<Mask>,
    brackets: OnceLock<Brackets>,
    test_regions: OnceLock<Vec<std::ops::Range<usize>>>,
    tree: OnceLock<Option<Tree>>,
    folded: OnceLock<Option<Folded>>,
}

/// A tree without some bodies of functions.
#[derive(Debug)]
pub(crate) struct Folded {
    pub(crate) tree: Tree,
    bodies: Vec<Body>,
}

/// Without the byte order mark that some editors put in front of a file.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)
}

impl Source {
    /// A byte order mark is no part of the text: rules shall find the first line where any other begins.
    pub fn new(text: Bytes, language: Language) -> Self {
        let marked = text.len() - without_mark(&text).len();
        let text = text.slice(marked..);
        let lines = LineIndex::of(&text);
        Source {
            text,
            language,
            lines,
            mask: OnceLock::new(),
            brackets: OnceLock::new(),
            test_regions: OnceLock::new(),
            tree: OnceLock::new(),
            folded: OnceLock::new(),
        }
    }

    /// The same text with nothing known of it yet.
    pub(crate) fn afresh(&self) -> Self {
        Source::new(self.text.clone(), self.language)
    }

    pub fn text(&self) -> &[u8] {
        &self.text
    }

    pub fn line_count(&self) -> u32 {
        self.lines.count()
    }

    pub fn line_of(&self, offset: usize) -> u32 {
        self.lines.line_of(offset)
    }

    /// Where a one-based line starts; the end of the text for a line that does not exist.
    pub fn start_of(&self, line: u32) -> usize {
        self.lines.range(line).start
    }

    /// Without the line feed.
    pub fn line(&self, line: u32) -> &[u8] {
        let text = &self.text[self.lines.range(line)];
        text.strip_suffix(b"\n").unwrap_or(text)
    }

    pub fn mask(&self) -> &Mask {
        self.mask.get_or_init(|| Mask::of(&self.text, self.language))
    }

    /// The text with strings and comments blanked.
    pub fn code(&self) -> &[u8] {
        self.mask().code()
    }

    /// A line of [`Source::code`].
    pub fn code_line(&self, line: u32) -> &[u8] {
        let text = &self.code()[self.lines.range(line)];
        text.strip_suffix(b"\n").unwrap_or(text)
    }

    /// What stands at the given byte of a line.
    pub fn kind(&self, line: u32, column: usize) -> Kind {
        self.mask().kind(self.start_of(line) + column)
    }

    /// Parsed when it is first asked for, taking over what did not change from the other side where that is parsed already.
    /// `None` for what is too large or nested too deep.
    pub(crate) fn tree<'s>(
        &self,
        table: &'static Table,
        other: impl FnOnce() -> Option<(&'s Tree, Vec<Replaced>)>,
    ) -> Option<&Tree> {
        let parse = || match other() {
            Some((other, replaced)) => syntax::reparse(&self.text, table, other, &replaced),
            None => syntax::parse(&self.text, table),
        };
        self.tree.get_or_init(parse).as_ref()
    }

    /// Gives up what is large and can be made again.
    pub(crate) fn slimmed(&mut self) {
        self.mask = OnceLock::new();
        self.brackets = OnceLock::new();
        if let Some(Some(tree)) = self.tree.get_mut() {
            tree.without_raw();
        }
        if let Some(Some(folded)) = self.folded.get_mut() {
            folded.tree.without_raw();
        }
    }

    /// Parsed without the bodies of functions that nobody touched, when it is first asked for. `None` where that would be
    /// no less work, or cannot be done.
    pub(crate) fn folded(&self, table: &'static Table, touched: &Touched) -> Option<&Folded> {
        let fold = || {
            let bodies = fold::untouched(self, self.language, touched)?;
            let tree = syntax::parse_parts(&self.text, table, &self.without(&bodies))?;
            Some(Folded { tree, bodies })
        };
        self.folded.get_or_init(fold).as_ref()
    }

    /// Parsed without what the other side was parsed without, taking over from there what is the same. `None` where that does
    /// not stand here as well, word for word.
    pub(crate) fn folded_as(
        &self,
        table: &'static Table,
        other: &Source,
        replaced: &[Replaced],
    ) -> Option<&Folded> {
        let fold = || {
            let there = other.folded.get()?.as_ref()?;
            let bodies = fold::moved(self.text(), other.text(), &there.bodies, replaced)?;
            let parts = self.without(&bodies);
            let tree = syntax::reparse_parts(&self.text, table, &parts, &there.tree, replaced)?;
            Some(Folded { tree, bodies })
        };
        self.folded.get_or_init(fold).as_ref()
    }

    /// What is left of the text.
    fn without(&self, bodies: &[Body]) -> Vec<tree_sitter::Range> {
        fold::kept(bodies, self.text.len()).into_iter().map(|part| self.part(part)).collect()
    }

    fn part(&self, bytes: std::ops::Range<usize>) -> tree_sitter::Range {
        tree_sitter::Range {
            start_point: self.point(bytes.start),
            end_point: self.point(bytes.end),
            start_byte: bytes.start,
            end_byte: bytes.end,
        }
    }

    fn point(&self, at: usize) -> tree_sitter::Point {
        let line = self.line_of(at);
        tree_sitter::Point::new(line as usize - 1, at - self.start_of(line))
    }

    /// If somebody has asked for it.
    pub(crate) fn parsed(&self) -> Option<&Tree> {
        self.tree.get()?.as_ref()
    }

    /// Whether somebody asked for the tree, and there is none.
    pub(crate) fn gave_up(&self) -> bool {
        self.tree.get().is_some_and(Option::is_none)
    }

    pub(crate) fn brackets(&self) -> &Brackets {
        self.brackets.get_or_init(|| Brackets::of(self.code()))
    }

    /// Whether the line belongs to tests that live in the same file, as Rust's do.
    pub fn in_test(&self, line: u32) -> bool {
        let at = self.start_of(line);
        let regions = self.test_regions.get_or_init(|| match self.language {
            Language::Rust => crate::language::rust_test_regions(self),
            _ => Vec::new(),
        });
        let before = regions.partition_point(|region| region.start <= at);
        regions[..before].last().is_some_and(|region| region.contains(&at))
    }
}
