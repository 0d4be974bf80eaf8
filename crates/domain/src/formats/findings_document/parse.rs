use std::collections::HashSet;

use super::escape::unescape;
use super::lines::{self, Field, Section};
use super::marker;
use super::render::{GROUPS, SUMMARY};
use super::{DocumentFinding, FindingsDocument, lenient};
use crate::words::Class;

/// Why a text is not a findings document, and how to make it one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// One-based.
    pub line: usize,
    pub message: String,
    pub hint: String,
}

impl FindingsDocument {
    /// Reads a document that we wrote, that an agent wrote after the same pattern, or that somebody edited.
    ///
    /// A finding that was deleted is gone, one that was ticked, struck or given a reason is accepted, and
    /// numbers, blank lines and text in between do not matter. A document without all of its sections was
    /// cut off and is an error, never a short list.
    pub fn parse(text: &str) -> Result<FindingsDocument, ParseError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = Reader::default();
        for (index, line) in text.lines().enumerate() {
            reader.read(index + 1, line.trim_end())?;
        }
        reader.finish(text.lines().count())
    }
}

#[derive(Default)]
struct Reader {
    document: Option<FindingsDocument>,
    section: Option<Section>,
    seen: HashSet<&'static str>,
    /// The text that is being read, and how far its label is set in.
    open: Option<(Field, usize)>,
    blank_lines: usize,
}

impl Reader {
    fn read(&mut self, number: usize, line: &str) -> Result<(), ParseError> {
        if self.document.is_none() {
            self.document = title(number, line)?;
            self.section = Some(Section::Head);
            return Ok(());
        }
        if let Some(section) = lines::section(line) {
            self.enter(section);
            return Ok(());
        }
        match self.section {
            Some(Section::Head) => self.read_head(line),
            Some(Section::Group(class)) => self.read_in_group(class, line),
            Some(Section::Summary) => self.read_summary(line),
            Some(Section::Other) | None => {}
        }
        Ok(())
    }

    fn enter(&mut self, section: Section) {
        self.section = Some(section);
        self.open = None;
        self.blank_lines = 0;
        match section {
            Section::Group(class) => {
                self.seen
                    .extend(GROUPS.iter().filter(|(known, _)| *known == class).map(|(_, heading)| *heading));
            }
            Section::Summary => {
                self.seen.insert(SUMMARY);
            }
            Section::Head | Section::Other => {}
        }
    }

    fn read_head(&mut self, line: &str) {
        let Some(document) = &mut self.document else { return };
        if let Some(reviewer) = line.strip_prefix("**Reviewer:**") {
            document.reviewer = reviewer.to_owned();
        } else if let Some(date) = line.strip_prefix("**Date:**") {
            document.date = lenient::timestamp(date);
        } else if let Some(branch) = line.strip_prefix("**Branch:**") {
            document.branch = branch.to_owned();
        }
    }

    fn read_summary(&mut self, line: &str) {
        let Some(document) = &mut self.document else { return };
        if let Some(recommendation) = line.trim().strip_prefix("- **Recommendation:**") {
            document.recommendation = recommendation.to_owned();
        }
    }

    fn read_in_group(&mut self, class: Class, line: &str) {
        let (line, comment) = match line.find("<!-- countersign:") {
            Some(at) => (line[..at].trim_end(), Some(&line[at..])),
            None => (line, None),
        };
        if !line.is_empty() || comment.is_none() {
            self.read_text(class, line);
        }
        if let (Some(comment), Some(finding)) = (comment.and_then(marker::read), self.last(class)) {
            finding.fingerprint = comment.fingerprint;
            finding.rule = comment.rule;
            finding.severity = comment.severity.unwrap_or(finding.severity);
            self.open = None;
        }
    }

    fn read_text(&mut self, class: Class, line: &str) {
        if line.is_empty() {
            self.blank_lines += 1;
        } else if let (Some((field, text)), true) = (lines::field(line), self.last(class).is_some()) {
            self.start(class, field, lines::indent(line), text);
            if let (Field::Accepted, Some(finding)) = (field, self.last(class)) {
                finding.accepted_by = lines::accepted_by(line);
            }
        } else if let Some(item) = lines::item(line) {
            self.group(class).push(DocumentFinding {
                category: item.category,
                description: item.description,
                file: None,
                line: None,
                problem: String::new(),
                impact: String::new(),
                fix: String::new(),
                severity: class.severity(),
                rule: None,
                fingerprint: None,
                accepted: item.accepted.then(String::new),
                accepted_by: None,
            });
            self.open = Some((Field::Description, lines::indent(line)));
            self.blank_lines = 0;
        } else {
            self.continue_text(class, line);
        }
    }

    fn start(&mut self, class: Class, field: Field, indent: usize, text: &str) {
        self.open = Some((field, indent));
        self.blank_lines = 0;
        let Some(finding) = self.last(class) else { return };
        match field {
            Field::File => (finding.file, finding.line) = lenient::read_location(text),
            Field::Accepted => finding.accepted = Some(text.to_owned()),
            Field::Description => text.clone_into(&mut finding.description),
            Field::Problem => text.clone_into(&mut finding.problem),
            Field::Impact => text.clone_into(&mut finding.impact),
            Field::Fix => text.clone_into(&mut finding.fix),
        }
    }

    /// A line set in deeper than the label goes on with its text; any other line is somebody's remark.
    fn continue_text(&mut self, class: Class, line: &str) {
        let Some((field, indent)) = self.open.filter(|(_, indent)| lines::indent(line) > *indent) else {
            self.open = None;
            return;
        };
        let blank_lines = std::mem::take(&mut self.blank_lines);
        let Some(finding) = self.last(class) else { return };
        let text = match field {
            Field::Description | Field::File => return,
            Field::Problem => &mut finding.problem,
            Field::Impact => &mut finding.impact,
            Field::Fix => &mut finding.fix,
            Field::Accepted => finding.accepted.get_or_insert_default(),
        };
        text.push_str(&"\n".repeat(blank_lines + 1));
        text.push_str(&unescape(without_indent(line, indent + 2)));
    }

    fn group(&mut self, class: Class) -> &mut Vec<DocumentFinding> {
        self.document.get_or_insert_with(empty).group_mut(class)
    }

    fn last(&mut self, class: Class) -> Option<&mut DocumentFinding> {
        self.group(class).last_mut()
    }

    fn finish(self, line: usize) -> Result<FindingsDocument, ParseError> {
        let Some(document) = self.document else {
            return Err(ParseError {
                line: 1,
                message: "there is no title".to_owned(),
                hint: "start with `# Story X.Y Code Review Findings - Round 1`".to_owned(),
            });
        };
        let headings = GROUPS.iter().map(|(_, heading)| *heading).chain([SUMMARY]);
        match headings.into_iter().find(|heading| !self.seen.contains(heading)) {
            Some(missing) => Err(ParseError {
                line: line.max(1),
                message: format!("the document ends without the section `{missing}`"),
                hint: "every section has to be there, if need be empty: the document may have been cut off"
                    .to_owned(),
            }),
            None => Ok(document.normalised()),
        }
    }
}

fn empty() -> FindingsDocument {
    FindingsDocument {
        story_id: String::new(),
        round: 1,
        reviewer: String::new(),
        date: None,
        branch: String::new(),
        critical: Vec::new(),
        important: Vec::new(),
        minor: Vec::new(),
        recommendation: String::new(),
    }
}

/// `None` for any other line; a title without a round is an error.
fn title(number: usize, line: &str) -> Result<Option<FindingsDocument>, ParseError> {
    let Some((story, round)) =
        line.strip_prefix("# Story").and_then(|title| title.rsplit_once("Code Review Findings"))
    else {
        return Ok(None);
    };
    let round = round.trim_start_matches(|c: char| !c.is_ascii_digit());
    match round.trim().parse() {
        Ok(round) => Ok(Some(FindingsDocument { story_id: story.trim().to_owned(), round, ..empty() })),
        Err(_) => Err(ParseError {
            line: number,
            message: "the title does not say which round this is".to_owned(),
            hint: "end the title with ` - Round 1`".to_owned(),
        }),
    }
}

fn without_indent(line: &str, most: usize) -> &str {
    if let Some(rest) = line.strip_prefix('\t') {
        return rest;
    }
    let spaces = line.len() - line.trim_start_matches(' ').len();
    &line[spaces.min(most)..]
}
