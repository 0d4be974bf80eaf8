use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{AddedLine, ChangeContext, FileContext};
use crate::language::Language;
use crate::reporter::Reporter;

/// Borrowed for the rules we ship, owned for rules that are read from a file.
pub type Text = Cow<'static, str>;

pub const fn text(text: &'static str) -> Text {
    Cow::Borrowed(text)
}

/// Everything there is to say about a rule before it runs: for `countersign rules`, for SARIF, for the docs.
#[derive(Debug, Clone)]
pub struct RuleInfo {
    /// Lower-case words joined by hyphens; what a policy and a suppression comment call it.
    pub id: Text,
    /// What it finds, as a short noun phrase.
    pub title: Text,
    /// Why that matters: the impact of every finding of this rule.
    pub why: Text,
    /// What to do about it, where the finding itself knows nothing better.
    pub fix: Text,
    /// Unless the finding or the policy says otherwise.
    pub severity: Severity,
    pub category: Category,
    pub dimension: Dimension,
    pub confidence: Confidence,
    /// Empty for a rule that reads any text.
    pub languages: Cow<'static, [Language]>,
    /// Documentation that a test holds the rule to.
    pub examples: Cow<'static, [Example]>,
}

/// A file, and the lines of it that the rule has to report: none for an example of what is fine.
#[derive(Debug, Clone)]
pub struct Example {
    pub file: Text,
    /// What the file was before. Absent: it is new.
    pub before: Option<Text>,
    /// The file after the change.
    pub added: Text,
    pub lines: Cow<'static, [u32]>,
}

impl Example {
    pub const fn bad(file: &'static str, added: &'static str, lines: &'static [u32]) -> Self {
        Example { file: text(file), before: None, added: text(added), lines: Cow::Borrowed(lines) }
    }

    /// A change of a file that is there already.
    pub const fn edit_bad(
        file: &'static str,
        before: &'static str,
        after: &'static str,
        lines: &'static [u32],
    ) -> Self {
        Example {
            file: text(file),
            before: Some(text(before)),
            added: text(after),
            lines: Cow::Borrowed(lines),
        }
    }

    pub const fn edit_good(file: &'static str, before: &'static str, after: &'static str) -> Self {
        Example::edit_bad(file, before, after, &[])
    }

    pub const fn good(file: &'static str, added: &'static str) -> Self {
        Example::bad(file, added, &[])
    }
}

/// What has to stand in a diff before a rule is asked at all. Case of ASCII letters does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interest {
    /// Asked about every file of the change.
    Every,
    /// Asked only if an added line holds one of `added`, or a removed line one of `removed`.
    Literals { added: &'static [&'static [u8]], removed: &'static [&'static [u8]] },
    /// Asked only if an added line, or a path that the change brings, holds one of these.
    LinesAndPaths(&'static [Sign]),
}

/// A literal that a rule looks for, and how it has to stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sign {
    pub literal: &'static [u8],
    pub stands: Stands,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    /// In any case of its letters.
    Anyhow,
    /// As it is written.
    Exactly,
    /// As it is written, and not inside of a word.
    AsAWord,
}

impl Sign {
    pub(crate) const fn anyhow(literal: &'static [u8]) -> Self {
        Sign { literal, stands: Stands::Anyhow }
    }

    /// Whether what was found at `start`, case aside, stands there as it has to.
    pub(crate) fn holds(&self, text: &[u8], start: usize) -> bool {
        let exact = || text.get(start..start + self.literal.len()) == Some(self.literal);
        match self.stands {
            Stands::Anyhow => true,
            Stands::Exactly => exact(),
            Stands::AsAWord => exact() && !is_glued(text, start),
        }
    }
}

/// Whether what starts here goes on from a word. The `n` of an escaped line feed is none.
pub(crate) fn is_glued(text: &[u8], start: usize) -> bool {
    let before = &text[..start];
    let escaped =
        before.len() >= 2 && before[before.len() - 2] == b'\\' && b"nrt".contains(&before[before.len() - 1]);
    before.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') && !escaped
}

/// Which files a rule is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Those that have to be reviewed.
    Reviewed,
    /// Generated, vendored, binary and lock files as well.
    Everything,
}

/// A rule that judges one file at a time. Files are checked in parallel.
pub trait FileRule: Send + Sync {
    fn info(&self) -> &RuleInfo;

    fn interest(&self) -> Interest;

    fn reach(&self) -> Reach {
        Reach::Reviewed
    }

    /// `hits` are the added lines that hold one of the literals, in order; none if a removed line or a path did, or
    /// if the rule is interested in every file. Lines of more than 64 KiB are left out unless the rule
    /// reaches everything.
    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>);
}

/// A rule that needs the change as a whole: other files, the base, the ticket, the epic.
pub trait ChangeRule: Send + Sync {
    fn info(&self) -> &RuleInfo;

    /// Asks a file for the trees that [`ChangeRule::check`] will want of it, while each can still be made from the other;
    /// afterwards they are parsed anew.
    fn prepare(&self, _: &FileContext<'_>) {}

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>);
}

impl From<&RuleInfo> for domain::formats::RuleDescription {
    fn from(info: &RuleInfo) -> Self {
        domain::formats::RuleDescription {
            id: info.id.to_string(),
            title: info.title.to_string(),
            why: info.why.to_string(),
            fix: info.fix.to_string(),
            severity: info.severity,
            category: info.category,
        }
    }
}
