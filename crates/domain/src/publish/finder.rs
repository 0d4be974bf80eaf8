use std::collections::{BTreeSet, HashMap};
use std::fmt;

use super::marker::digest;
use crate::change::RepoPath;
use crate::review::{FileCoverage, Finding, JUDGED, RULES, Review, tool_of};
use crate::words::Severity;

/// Who found something, as far as it decides who may say that it is gone.
///
/// Any model or agent may speak for any other: what they are called changes with configuration, failover and voting,
/// and all of them look for the same. Nobody speaks for a model but a model, nor for a program but that program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finder {
    Rules,
    /// A linter, or whoever left a report.
    Tool(String),
    /// A model or an agent, by the name it had then.
    Judge(String),
}

/// What a comment remembers about the finding it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub by: Finder,
    pub must_fix: bool,
    /// Of the path, because a marker holds words only. `None` in comments of older versions.
    pub file: Option<String>,
}

const LONGEST_NAME: usize = 100;
/// For comments that do not say.
const SOMEBODY: &str = "somebody";

impl Finder {
    fn of(finding: &Finding, looked: &Looked<'_>) -> Finder {
        let found_it = |tool: &&&str| {
            finding.rule.strip_prefix(**tool).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match finding.rule.as_str() {
            JUDGED => Finder::Judge(plain(&looked.review.reviewer)),
            _ => match looked.tools.iter().find(found_it) {
                Some(tool) => Finder::Tool(plain(tool)),
                None => Finder::Rules,
            },
        }
    }

    /// As far as the name of a rule alone tells.
    pub(super) fn of_rule(rule: &str, judge: &str) -> Finder {
        match (rule, rule.split_once('/')) {
            (JUDGED, _) => Finder::Judge(judge.to_owned()),
            (_, Some((tool, _))) => Finder::Tool(plain(tool)),
            (_, None) => Finder::Rules,
        }
    }

    pub(super) fn parse(word: &str) -> Option<Finder> {
        match word.split_once(':') {
            None if word == RULES => Some(Finder::Rules),
            Some(("tool", name)) => Some(Finder::Tool(name.to_owned())),
            Some(("judge", name)) => Some(Finder::Judge(name.to_owned())),
            Some(_) | None => None,
        }
    }

    /// As one word of a marker.
    pub(super) fn word(&self) -> String {
        match self {
            Finder::Rules => RULES.to_owned(),
            Finder::Tool(name) => format!("tool:{name}"),
            Finder::Judge(name) => format!("judge:{name}"),
        }
    }

    /// Whether whoever saw something under this name may speak for us.
    fn is_equal_to(&self, seen_by: &str) -> bool {
        match self {
            Finder::Rules => seen_by == RULES,
            Finder::Tool(name) => tool_of(seen_by).is_some_and(|tool| plain(tool) == *name),
            Finder::Judge(_) => seen_by != RULES && tool_of(seen_by).is_none(),
        }
    }
}

impl fmt::Display for Finder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finder::Rules => f.write_str("the built-in rules"),
            Finder::Tool(name) | Finder::Judge(name) => f.write_str(name),
        }
    }
}

impl Found {
    pub(super) fn of(finding: &Finding, looked: &Looked<'_>) -> Found {
        Found {
            by: Finder::of(finding, looked),
            must_fix: finding.blocks(looked.review.decision.fail_on),
            file: finding.path().map(file_digest),
        }
    }

    /// What the text of a comment tells that was posted before markers said it: `**HIGH** `rule` (...): ...`. What cannot
    /// be told is taken for what is hardest to settle.
    pub(super) fn told_by(text: &str) -> Found {
        let line = text.trim_start().lines().next().unwrap_or_default();
        let severity = line.strip_prefix("**").and_then(|rest| rest.split_once("**")).map(|(word, _)| word);
        let severity = severity.and_then(|word| word.parse::<Severity>().ok());
        let rule = line.split('`').nth(1);
        Found {
            by: Finder::of_rule(rule.unwrap_or(JUDGED), SOMEBODY),
            must_fix: severity.is_none_or(Severity::must_fix),
            file: None,
        }
    }
}

/// Which names saw which files, for the question who looked again.
pub(super) struct Looked<'a> {
    files: HashMap<String, &'a FileCoverage>,
    tools: BTreeSet<&'a str>,
    review: &'a Review,
}

impl<'a> Looked<'a> {
    pub(super) fn of(review: &'a Review) -> Looked<'a> {
        let files = review.coverage.files.iter().map(|file| (file_digest(&file.path), file)).collect();
        let hunks = review.coverage.files.iter().flat_map(|file| &file.hunks);
        let tools = hunks.flat_map(|hunk| &hunk.seen_by).filter_map(|name| tool_of(name)).collect();
        Looked { files, tools, review }
    }

    /// Whether whoever found this, or an equal, has looked at that file again. A file that is no longer part of the
    /// change may live on under another name, so then it takes a look at all there is.
    pub(super) fn again(&self, found: &Found) -> bool {
        let file = found.file.as_ref().and_then(|digest| self.files.get(digest));
        match file {
            Some(file) => file.skipped.is_none() && saw_all(&found.by, file),
            None => self.everywhere(&found.by),
        }
    }

    pub(super) fn everywhere(&self, finder: &Finder) -> bool {
        self.review.coverage.reviewed_files().all(|file| saw_all(finder, file))
    }
}

fn saw_all(finder: &Finder, file: &FileCoverage) -> bool {
    file.hunks.iter().all(|hunk| hunk.seen_by.iter().any(|name| finder.is_equal_to(name)))
}

fn file_digest(path: &RepoPath) -> String {
    digest(&path.to_string())
}

/// A name as a word that every server carries within a marker.
pub(super) fn plain(name: &str) -> String {
    let mut word = String::new();
    for c in name.chars().take(LONGEST_NAME) {
        match c {
            c if c.is_ascii_alphanumeric() || "._:/".contains(c) => word.push(c),
            _ if word.ends_with(['-', '_']) => {}
            '-' => word.push('-'),
            _ => word.push('_'),
        }
    }
    if word.is_empty() { SOMEBODY.to_owned() } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finders_read_back_and_hold_nothing_but_words() {
        for finder in
            [Finder::Rules, Finder::Tool(plain("ruff")), Finder::Judge(plain("a:b-->, c d\u{e9}--"))]
        {
            assert_eq!(Finder::parse(&finder.word()), Some(finder.clone()));
            assert!(
                !finder.word().contains("--") && !finder.word().contains([' ', ',', '=', '>']),
                "{finder:?}"
            );
        }
        assert_eq!(Finder::parse("mallory"), None);
    }

    #[test]
    fn any_model_speaks_for_any_other_and_nobody_else_does() {
        let judge = Finder::Judge("a:old".into());
        assert!(judge.is_equal_to("b:new 1/3") && judge.is_equal_to("claude"));
        assert!(!judge.is_equal_to("rules") && !judge.is_equal_to("tool:ruff"));
        assert!(Finder::Rules.is_equal_to("rules") && !Finder::Rules.is_equal_to("rules 1/1"));
        let tool = Finder::Tool("ruff".into());
        assert!(
            tool.is_equal_to("tool:ruff") && !tool.is_equal_to("tool:eslint") && !tool.is_equal_to("ruff")
        );
    }

    #[test]
    fn older_comments_tell_by_their_text() {
        let told = Found::told_by("**LOW** `ruff/S608` (security): x\n");
        assert_eq!((told.by, told.must_fix), (Finder::Tool("ruff".into()), false));
        assert_eq!(Found::told_by("**HIGH** `stub` (testing): x").by, Finder::Rules);
        let unknown = Found::told_by("what?");
        assert!(matches!(unknown.by, Finder::Judge(_)) && unknown.must_fix);
    }
}
