use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::{Change, FileChange, Hunk, Line, RepoPath, Side};

/// Lines of the diff a finding is about. The engine keeps only those that the diff really shows.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Anchor {
    pub path: RepoPath,
    pub side: Side,
    pub start: u32,
    /// Inclusive.
    pub end: u32,
    /// The first line as it stands there; the engine masks secrets in it.
    pub text: String,
}

/// Where a finding lives.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Place {
    Lines(Anchor),
    File { path: RepoPath },
    Summary,
}

/// Where somebody says a finding lives. Not to be believed before [`Claim::resolve`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claim {
    pub path: Option<RepoPath>,
    pub line: Option<u32>,
    /// The code it quotes, if it quotes any; only the first line counts.
    pub quote: Option<String>,
}

impl Claim {
    /// Finds the claimed place in the real diff: the quoted line nearest to the claimed number, else the
    /// claimed line if some hunk shows it, else the file, else the change as a whole.
    pub fn resolve(&self, change: &Change) -> Place {
        let Some(file) = self.path.as_ref().and_then(|path| find(change, path)) else {
            return Place::Summary;
        };
        self.quoted(file).or_else(|| self.numbered(file)).unwrap_or(Place::File { path: file.path().clone() })
    }

    fn quoted(&self, file: &FileChange) -> Option<Place> {
        let quote = self.quote.as_deref()?.lines().map(str::trim).find(|line| !line.is_empty())?;
        let distance = |line: &Line<'_>| {
            let number = line.new.or(line.old).unwrap_or_default();
            (line.new.is_none(), number.abs_diff(self.line.unwrap_or(number)))
        };
        file.hunks()
            .iter()
            .flat_map(Hunk::lines)
            .filter(|line| String::from_utf8_lossy(line.text).trim() == quote)
            .min_by_key(distance)
            .map(|line| place(file, &line))
    }

    fn numbered(&self, file: &FileChange) -> Option<Place> {
        let number = self.line?;
        let side = if file.new.is_some() { Side::New } else { Side::Old };
        let shown = |line: &Line<'_>| match side {
            Side::New => line.new == Some(number),
            Side::Old => line.old == Some(number),
        };
        file.hunks().iter().flat_map(Hunk::lines).find(shown).map(|line| place(file, &line))
    }
}

fn find<'a>(change: &'a Change, path: &RepoPath) -> Option<&'a FileChange> {
    let names = |side: Option<&crate::change::FileSide>| side.is_some_and(|side| side.path == *path);
    change
        .files
        .iter()
        .find(|file| names(file.new.as_ref()))
        .or_else(|| change.files.iter().find(|file| names(file.old.as_ref())))
}

fn place(file: &FileChange, line: &Line<'_>) -> Place {
    let (side, number) = match line.new {
        Some(number) => (Side::New, number),
        None => (Side::Old, line.old.unwrap_or_default()),
    };
    Place::Lines(Anchor {
        path: file.path().clone(),
        side,
        start: number,
        end: number,
        text: String::from_utf8_lossy(line.text).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::{Attributes, Content, FileSide, Mode, Scope, Span, Status, Target};

    fn change() -> Change {
        let body = " fn a() {\n+    check(x);\n }\n fn b() {\n-    old(y);\n+    check(x);\n }\n";
        let hunk =
            Hunk::new(Span { start: 10, len: 5 }, Span { start: 10, len: 6 }, String::new(), body.into());
        let side = FileSide { path: "src/a.rs".into(), mode: Mode::File, oid: None };
        Change {
            scope: Scope {
                base: None,
                base_name: "main".into(),
                head: Target::Worktree,
                head_name: "topic".into(),
                notes: vec![],
            },
            files: vec![FileChange {
                status: Status::Modified,
                old: Some(side.clone()),
                new: Some(side),
                content: Content::Text(vec![hunk]),
                attributes: Attributes::default(),
            }],
        }
    }

    fn resolve(path: &str, line: Option<u32>, quote: Option<&str>) -> (String, Option<u32>, Option<Side>) {
        let claim = Claim { path: Some(path.into()), line, quote: quote.map(Into::into) };
        match claim.resolve(&change()) {
            Place::Lines(anchor) => (anchor.path.to_string(), Some(anchor.start), Some(anchor.side)),
            Place::File { path } => (path.to_string(), None, None),
            Place::Summary => ("summary".into(), None, None),
        }
    }

    #[test]
    fn of_identical_lines_the_nearest_is_taken() {
        let at = |line| resolve("src/a.rs", Some(line), Some("  check(x);  "));
        assert_eq!(at(10), ("src/a.rs".into(), Some(11), Some(Side::New)));
        assert_eq!(at(15), ("src/a.rs".into(), Some(14), Some(Side::New)));
    }

    #[test]
    fn removed_code_is_anchored_on_the_old_side() {
        assert_eq!(
            resolve("src/a.rs", None, Some("old(y);")),
            ("src/a.rs".into(), Some(13), Some(Side::Old))
        );
    }

    #[test]
    fn what_lies_outside_every_hunk_becomes_a_remark() {
        assert_eq!(resolve("src/a.rs", Some(99), None), ("src/a.rs".into(), None, None));
        assert_eq!(resolve("src/other.rs", Some(1), None), ("summary".into(), None, None));
    }
}
