use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::paths::{Paths, paths};
use super::sections;

/// A ticket or a story: a markdown document with a title and a checklist of acceptance criteria.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkItem {
    /// The file's name without its ending.
    pub id: String,
    /// As the user gave it.
    pub path: String,
    pub title: String,
    pub title_origin: TitleOrigin,
    /// What stands below a heading that speaks of a description, a summary or an overview; without one, what stands
    /// between the title and the next heading.
    pub description: String,
    pub criteria: Vec<AcceptanceCriterion>,
    /// What stands below a heading that speaks of technical details, an implementation or an approach.
    pub technical_details: String,
    /// File paths it names in backticks.
    pub files: Vec<String>,
    /// Files and folders that it says are to stay as they are.
    pub left_alone: Vec<String>,
    /// The whole document.
    pub text: String,
}

/// Where a title was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TitleOrigin {
    Heading,
    /// The document has none.
    FileName,
}

/// One line of the checklist, and whether its author ticked it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AcceptanceCriterion {
    pub criterion: String,
    pub met: bool,
}

impl WorkItem {
    /// Any text is a work item; what it does not say stays empty.
    pub fn parse(path: &str, text: &str) -> WorkItem {
        let name = path.rsplit('/').next().unwrap_or(path);
        let id = name.strip_suffix(".md").unwrap_or(name).to_owned();
        let prose = || prose_lines(text);
        let heading = prose().find_map(|line| line.strip_prefix("# ")).map(str::trim);
        let (title, title_origin) = match heading {
            Some(title) => (title.to_owned(), TitleOrigin::Heading),
            None => (id.clone(), TitleOrigin::FileName),
        };
        let Paths { named: files, left_alone } = paths(text);
        let criteria = criteria(prose());
        let (description, technical_details) = sections::description_and_details(text);
        WorkItem {
            id,
            path: path.to_owned(),
            title,
            title_origin,
            description,
            criteria,
            technical_details,
            files,
            left_alone,
            text: text.to_owned(),
        }
    }
}

/// Lines outside fenced code blocks.
fn prose_lines(text: &str) -> impl Iterator<Item = &str> {
    numbered_prose(text).map(|(_, line)| line)
}

/// The same, with their numbers from 1.
pub(crate) fn numbered_prose(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let mut fenced = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let fence = is_fence(line);
        fenced ^= fence;
        !fenced && !fence
    })
}

/// Where a code block begins or ends.
pub(crate) fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// Every item of a checklist; where a heading speaks of acceptance, only those below such a heading. A document
/// may hold other lists, as of steps to take.
fn criteria<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<AcceptanceCriterion> {
    let (mut all, mut below) = (Vec::new(), Vec::new());
    let (mut announced, mut level) = (false, None);
    for line in lines {
        if let Some((depth, title)) = heading(line) {
            let accepts = speaks_of_acceptance(title);
            announced |= accepts;
            level = match level {
                _ if accepts => Some(depth),
                Some(open) if depth > open => Some(open),
                _ => None,
            };
        } else if let Some(criterion) = criterion(line) {
            if level.is_some() {
                below.push(criterion.clone());
            }
            all.push(criterion);
        }
    }
    if announced { below } else { all }
}

pub(crate) fn speaks_of_acceptance(title: &str) -> bool {
    title.to_lowercase().contains("acceptance")
}

/// How deep a heading is, and what it says. A line in bold alone is the deepest one.
pub fn heading(line: &str) -> Option<(usize, &str)> {
    let depth = line.chars().take_while(|c| *c == '#').count();
    let title = &line[depth..];
    let bold = line.trim().strip_prefix("**").and_then(|rest| rest.trim_end_matches(':').strip_suffix("**"));
    match bold {
        Some(title) => Some((7, title)),
        None => ((1..=6).contains(&depth) && title.starts_with(' ')).then(|| (depth, title.trim())),
    }
}

fn criterion(line: &str) -> Option<AcceptanceCriterion> {
    let line = line.trim_start();
    let numbered = || line.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(['.', ')']);
    let begins_with_digit = line.starts_with(|c: char| c.is_ascii_digit());
    let item = if begins_with_digit { numbered() } else { line.strip_prefix(['-', '*', '+']) }?.trim_start();
    let (met, text) = match item.get(..3)? {
        "[ ]" => (false, &item[3..]),
        "[x]" | "[X]" => (true, &item[3..]),
        _ => return None,
    };
    let text = text.trim();
    (!text.is_empty()).then(|| AcceptanceCriterion { criterion: text.to_owned(), met })
}

/// Whether a line was perhaps meant as a criterion, and is none: `- [] a`, `[ ] b`, `- [-] c`, `- [x ] d`.
pub(crate) fn is_nearly_a_criterion(line: &str) -> bool {
    let item = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    let item = item.trim_start_matches(['-', '*', '+', '.', ')']).trim_start();
    let Some((mark, text)) = item.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
        return false;
    };
    let is_mark =
        mark.chars().count() <= 3 && ["", "x", "X", "-", "~", "*", "v", "V", "✓", "✔"].contains(&mark.trim());
    is_mark && text.starts_with(char::is_whitespace) && !text.trim().is_empty() && criterion(line).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_title_criteria_and_files() {
        let text = "# Log in\n\nChange `src/auth.rs` and `a/b`, run `cargo test`.\n\n\
                    - [x] Users log in\n* [ ] Errors are shown\n```\n- [ ] not this\n```\n- plain\n";
        let item = WorkItem::parse("tickets/auth-base.md", text);
        assert_eq!((item.id.as_str(), item.title.as_str()), ("auth-base", "Log in"));
        let criteria: Vec<_> = item.criteria.iter().map(|c| (c.criterion.as_str(), c.met)).collect();
        assert_eq!(criteria, [("Users log in", true), ("Errors are shown", false)]);
        assert_eq!(item.files, ["src/auth.rs"]);
    }

    #[test]
    fn only_what_stands_below_acceptance_is_a_criterion_where_there_is_such_a_heading() {
        let text = "# A\n- [ ] step\n## Acceptance criteria\n1. [ ] one\n### More\n2) [x] two\n## Steps\n- [ ] other\n";
        let item = WorkItem::parse("a.md", text);
        let criteria: Vec<_> = item.criteria.iter().map(|c| (c.criterion.as_str(), c.met)).collect();
        assert_eq!(criteria, [("one", false), ("two", true)]);
    }

    proptest! {
        #[test]
        fn never_panics(path in ".*", text in "(?s).*") {
            WorkItem::parse(&path, &text);
        }
    }
}
