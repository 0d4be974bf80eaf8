use serde_json::Value;

use super::json::{self, Entries};
use super::{QaFinding, text};
use crate::change::Change;
use crate::formats::prose::asks_for_changes;
use crate::review::{Evidence, Trouble};
use crate::text::clean_block;
use crate::words::{Category, Severity};

/// More findings than this are counted as unreadable: nobody works off a longer list.
pub(super) const MOST_FINDINGS: usize = 1_000;
/// Bounds on the search for JSON in prose, so that hostile text costs no more than its length.
const MOST_ATTEMPTS: usize = 4_096;
const DEEPEST: usize = 64;
/// Letters of prose that stand for findings.
const MAX_SUMMARY: usize = 2_000;

/// What a reviewer's answer was found to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedFindings {
    pub findings: Vec<QaFinding>,
    pub read_as: ReadAs,
    /// Entries and blocks that look like findings and could not be read. More than none means that the
    /// list is not complete, and that an empty one does not say "clean".
    pub unreadable: usize,
    /// How many of those are blocks that were to be JSON.
    pub broken_blocks: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadAs {
    /// JSON in fenced code blocks.
    JsonBlock,
    /// JSON somewhere in the text.
    BareJson,
    /// The engineer's checklist, or lines that start with a severity.
    Text,
    /// Plain words that ask for changes: one finding with the text.
    Prose,
    /// There is nothing in it that could be read as findings, not even an empty list.
    Nothing,
}

impl ParsedFindings {
    /// What the answer is worth to the gate: places looked up in the real change, and trouble if it said
    /// nothing or could not be read to its end. Which hunks were seen is not in the answer; the caller knows.
    pub fn into_evidence(self, reviewer: &str, change: &Change, fail_on: Severity) -> Evidence {
        let findings = self.findings.iter().map(|finding| finding.to_finding(reviewer, change)).collect();
        Evidence { findings, troubles: self.trouble(fail_on).into_iter().collect(), ..Evidence::default() }
    }

    /// Why the answer proves nothing, if it does not. Beside text that rejects the change, a block of JSON need not be
    /// readable.
    pub fn trouble(&self, fail_on: Severity) -> Option<Trouble> {
        let rejects = self.findings.iter().any(|finding| finding.severity >= fail_on);
        let is_text = matches!(self.read_as, ReadAs::Text | ReadAs::Prose);
        let forgiven = if is_text && rejects { self.broken_blocks } else { 0 };
        let message = match (self.read_as, self.unreadable.saturating_sub(forgiven)) {
            (_, unreadable @ 1..) => {
                format!("{unreadable} entries of the reviewer's answer could not be read")
            }
            (ReadAs::Prose, 0) if rejects => return None,
            (ReadAs::Prose, 0) => "the reviewer asks for changes, and lists no findings".to_owned(),
            (ReadAs::Nothing, 0) => {
                "the reviewer's answer holds no findings, not even an empty list".to_owned()
            }
            (ReadAs::JsonBlock | ReadAs::BareJson | ReadAs::Text, 0) => return None,
        };
        Some(Trouble { kind: "unparsable".to_owned(), message })
    }
}

/// Reads findings out of whatever a QA agent answered: JSON in code blocks, bare JSON, or the legacy text form
/// (the checklist, else loose lines), in this order. JSON inside an entry of the checklist is quoted by it, not
/// bare. A list without a finding that rejects the change does not hide a line that does. An empty list only counts if nothing after it holds a finding: it might be code.
pub fn parse_findings(answer: &str) -> ParsedFindings {
    let mut unreadable = 0;
    let blocks = fenced_blocks(answer);
    let in_blocks = blocks.iter().filter_map(|block| match serde_json::from_str::<Value>(block.content) {
        Ok(value) => json::entries(&value),
        Err(_) => {
            unreadable += usize::from(block.promises_json());
            None
        }
    });
    let in_blocks = gather(in_blocks.collect());
    let readers: [(ReadAs, &dyn Fn() -> Option<Entries>); 3] = [
        (ReadAs::BareJson, &|| gather(bare_json(&text::outside_checklist(answer)))),
        (ReadAs::Text, &|| gather_text(text::checklist_items(answer))),
        (ReadAs::Text, &|| gather_text(text::loose_items(answer))),
    ];
    let mut said = in_blocks.map(|entries| (ReadAs::JsonBlock, entries));
    for (read_as, reader) in readers {
        if said.as_ref().is_none_or(|(_, entries)| entries.is_empty()) {
            said = reader()
                .map(|entries| (read_as, entries))
                .filter(|(_, found)| said.is_none() || !found.is_empty())
                .or(said);
        }
    }
    let (entries, read_as) = match said {
        Some((read_as @ (ReadAs::JsonBlock | ReadAs::BareJson), entries)) => {
            (with_rejecting_lines(entries, answer), read_as)
        }
        Some((read_as, entries)) => (entries, read_as),
        None if asks_for_changes(answer) => (in_prose(answer), ReadAs::Prose),
        None => (Entries { findings: Vec::new(), unreadable: 0 }, ReadAs::Nothing),
    };
    bounded(entries, read_as, unreadable)
}

/// A list that rejects nothing must not hide a line beside it that does. Where the list rejects the change, such lines
/// mostly repeat it.
fn with_rejecting_lines(mut entries: Entries, answer: &str) -> Entries {
    let rejects = |finding: &QaFinding| finding.severity >= Severity::Major;
    if !entries.findings.iter().any(rejects) {
        let checklist = text::checklist_items(answer);
        let lines = if checklist.is_empty() { text::loose_items(answer) } else { checklist };
        entries.findings.extend(lines.into_iter().filter(rejects));
    }
    entries
}

/// What the author gets where there is nothing but words: the words.
fn in_prose(answer: &str) -> Entries {
    let summary = clean_block(answer);
    let summary = summary.trim();
    let description = match summary.char_indices().nth(MAX_SUMMARY) {
        Some((end, _)) => format!("{}...", summary[..end].trim_end()),
        None => summary.to_owned(),
    };
    let finding = QaFinding {
        file: None,
        line_number: None,
        severity: Severity::Major,
        description,
        suggested_fix: String::new(),
        category: Category::Correctness,
    };
    Entries { findings: vec![finding], unreadable: 0 }
}

fn bounded(mut entries: Entries, read_as: ReadAs, broken_blocks: usize) -> ParsedFindings {
    let surplus = entries.findings.len().saturating_sub(MOST_FINDINGS);
    entries.findings.truncate(MOST_FINDINGS);
    let unreadable = broken_blocks + entries.unreadable + surplus;
    ParsedFindings { findings: entries.findings, read_as, unreadable, broken_blocks }
}

/// Agents like to repeat themselves: what is listed twice counts once.
fn gather(all: Vec<Entries>) -> Option<Entries> {
    if all.is_empty() {
        return None;
    }
    let mut gathered = Entries { findings: Vec::new(), unreadable: 0 };
    for entries in all {
        gathered.unreadable += entries.unreadable;
        for finding in entries.findings {
            if gathered.findings.len() > MOST_FINDINGS || !gathered.findings.contains(&finding) {
                gathered.findings.push(finding);
            }
        }
    }
    Some(gathered)
}

fn gather_text(findings: Vec<QaFinding>) -> Option<Entries> {
    (!findings.is_empty()).then_some(Entries { findings, unreadable: 0 })
}

struct Block<'a> {
    info: &'a str,
    content: &'a str,
}

impl Block<'_> {
    fn promises_json(&self) -> bool {
        self.info.to_ascii_lowercase().starts_with("json") || self.content.trim_start().starts_with("[{")
    }
}

/// Code blocks between lines of three or more backticks or tildes; one that is not closed ends the text.
fn fenced_blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(char, usize, &str, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let fence = fence(line);
        match (open, fence) {
            (None, Some((mark, length, info))) => open = Some((mark, length, info, end)),
            (Some((mark, length, info, start)), Some((closing, closing_length, "")))
                if closing == mark && closing_length >= length =>
            {
                blocks.push(Block { info, content: &text[start..at] });
                open = None;
            }
            (None, None) | (Some(_), None | Some(_)) => {}
        }
        at = end;
    }
    if let Some((_, _, info, start)) = open {
        blocks.push(Block { info, content: &text[start..] });
    }
    blocks
}

/// The mark, its length and the info string.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let line = line.trim();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let length = line.len() - info.len();
    let inline = mark == '`' && info.contains('`');
    (length >= 3 && !inline).then_some((mark, length, info.trim()))
}

/// Every balanced array or object in the text that reads as findings.
fn bare_json(text: &str) -> Vec<Entries> {
    if text.trim() == "[]" {
        return vec![Entries { findings: Vec::new(), unreadable: 0 }];
    }
    let bytes = text.as_bytes();
    let mut budget = bytes.len().saturating_mul(4).saturating_add(1 << 16);
    let mut found = Vec::new();
    let mut at = 0;
    for _ in 0..MOST_ATTEMPTS {
        let Some(start) = next_opening(bytes, at) else { break };
        at = start + 1;
        let (end, cost) = balanced_end(&bytes[start..], budget);
        budget = budget.saturating_sub(cost);
        let value = end.and_then(|end| serde_json::from_str::<Value>(&text[start..start + end]).ok());
        if let (Some(end), Some(entries)) = (end, value.as_ref().and_then(json::entries)) {
            found.push(entries);
            at = start + end;
        }
        if budget == 0 {
            break;
        }
    }
    found
}

/// `[` before a `{`, or `{` before a `"`: nothing else can be findings.
fn next_opening(bytes: &[u8], from: usize) -> Option<usize> {
    let mut opening: Option<(usize, u8)> = None;
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        match (opening, byte) {
            (_, b' ' | b'\t' | b'\r' | b'\n') => {}
            (Some((start, b'[')), b'{') | (Some((start, b'{')), b'"') => return Some(start),
            (_, b'[' | b'{') => opening = Some((at, byte)),
            (_, _) => opening = None,
        }
    }
    None
}

/// Where the bracket that `bytes` starts with is closed, and how much was looked at to find out.
fn balanced_end(bytes: &[u8], budget: usize) -> (Option<usize>, usize) {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for (at, &byte) in bytes.iter().enumerate().take(budget) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return (Some(at + 1), at + 1);
                }
            }
            _ => {}
        }
        if depth > DEEPEST {
            return (None, at + 1);
        }
    }
    (None, bytes.len().min(budget))
}
