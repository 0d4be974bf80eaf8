//! What a single line of a findings document is.

use super::escape::unescape;
use super::lenient;
use crate::text::clean_line;
use crate::words::Class;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Head,
    Group(Class),
    Summary,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Description,
    File,
    Problem,
    Impact,
    Fix,
    Accepted,
}

/// The first line of a finding.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) category: String,
    pub(super) description: String,
    pub(super) accepted: bool,
}

/// Leading spaces; a tab in front counts as four of them.
pub(super) fn indent(line: &str) -> usize {
    let spaces = line.len() - line.trim_start_matches(' ').len();
    if line[spaces..].starts_with('\t') { spaces.max(4) } else { spaces }
}

/// A heading of the second level, by its first word: people reword the rest.
pub(super) fn section(line: &str) -> Option<Section> {
    let heading = line.strip_prefix("## ")?.trim_start();
    let end = heading.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(heading.len());
    Some(match heading[..end].to_ascii_lowercase().as_str() {
        "critical" => Section::Group(Class::Critical),
        "important" => Section::Group(Class::Important),
        "minor" => Section::Group(Class::Minor),
        "summary" => Section::Summary,
        _ => Section::Other,
    })
}

/// `- **Fix:** text`, at any depth. The label must be in bold or the line a list item: plain words with a
/// colon are text.
pub(super) fn field(line: &str) -> Option<(Field, &str)> {
    let line = line.trim();
    let inner = without_bullet(line);
    let inner = struck(inner).unwrap_or(inner);
    let bold = inner.starts_with("**");
    if !bold && inner.len() == line.len() {
        return None;
    }
    let (label, text) = inner.split_once(':')?;
    let label = label.trim_matches('*').trim();
    let text = text.strip_prefix("**").filter(|_| bold).unwrap_or(text).trim();
    const NAMES: [(&str, Field); 6] = [
        ("file", Field::File),
        ("location", Field::File),
        ("problem", Field::Problem),
        ("impact", Field::Impact),
        ("fix", Field::Fix),
        ("accepted", Field::Accepted),
    ];
    let known = NAMES.into_iter().find(|(name, _)| label.eq_ignore_ascii_case(name)).map(|(_, field)| field);
    known.or(after_accepted_by(label).map(|_| Field::Accepted)).map(|field| (field, text))
}

/// Who accepted a finding, in `- **Accepted by Ada:** why`.
pub(super) fn accepted_by(line: &str) -> Option<String> {
    let inner = without_bullet(line.trim());
    let (label, _) = struck(inner).unwrap_or(inner).split_once(':')?;
    after_accepted_by(label.trim_matches('*').trim()).and_then(name)
}

fn after_accepted_by(label: &str) -> Option<&str> {
    const LABEL: &str = "accepted by";
    let (start, rest) = label.split_at_checked(LABEL.len())?;
    (start.eq_ignore_ascii_case(LABEL) && (rest.is_empty() || rest.starts_with(' '))).then_some(rest)
}

/// A name fit to stand in a label.
pub(super) fn name(text: &str) -> Option<String> {
    const MAX_LETTERS: usize = 80;
    let plain = |c: char| if c.is_alphanumeric() || "-_.'@+".contains(c) { c } else { ' ' };
    let name = clean_line(&clean_line(text).chars().take(MAX_LETTERS).map(plain).collect::<String>());
    Some(name).filter(|name| !name.is_empty())
}

/// A numbered line, a list item or a line that starts with a category, at the left margin. List items
/// without a category count too: what a reviewer listed must not get lost because of its form.
pub(super) fn item(line: &str) -> Option<Item> {
    if indent(line) > 2 {
        return None;
    }
    let line = line.trim();
    let (listed, rest) = without_number(line).map_or_else(
        || {
            let rest = without_bullet(line);
            (rest.len() < line.len(), rest)
        },
        |rest| (true, rest),
    );
    let (ticked, rest) = without_tick(rest);
    let whole = struck(rest);
    let rest = whole.unwrap_or(rest);
    let (category, description) = match category(rest) {
        Some(parts) if listed || rest.starts_with("**[") => parts,
        None if listed && !says_none(rest) => ("", rest),
        Some(_) | None => return None,
    };
    let part = struck(description);
    let description = unescape(part.unwrap_or(description));
    let accepted = ticked || whole.is_some() || part.is_some();
    Some(Item { category: category.to_owned(), description, accepted })
}

/// `**[Security]:** text`, with or without the brackets in a list.
fn category(rest: &str) -> Option<(&str, &str)> {
    let inner = rest.strip_prefix("**")?;
    if let Some((label, text)) = inner.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        return Some((label, text.trim_start_matches([':', '*']).trim()));
    }
    let (label, text) = inner.split_once("**")?;
    let text = text.strip_prefix(':').unwrap_or(text);
    Some((label.trim_end_matches(':'), text.trim()))
}

fn without_bullet(line: &str) -> &str {
    ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet)).unwrap_or(line).trim_start()
}

/// Also below a heading mark, as in `### 1. Title`.
fn without_number(line: &str) -> Option<&str> {
    let line = line.trim_start_matches('#').trim_start();
    let (number, rest) = lenient::leading_number(line);
    number?;
    rest.strip_prefix(['.', ')']).filter(|rest| rest.is_empty() || rest.starts_with(' ')).map(str::trim_start)
}

fn without_tick(rest: &str) -> (bool, &str) {
    let ticked = rest.strip_prefix("[x]").or(rest.strip_prefix("[X]"));
    let open = rest.strip_prefix("[ ]");
    (ticked.is_some(), ticked.or(open).unwrap_or(rest).trim_start())
}

fn struck(text: &str) -> Option<&str> {
    text.strip_prefix("~~")?.strip_suffix("~~").map(str::trim)
}

/// Only the whole text counts: "None of the inputs is checked" is a finding.
fn says_none(text: &str) -> bool {
    let text = text.trim_matches(['*', '_', '.', '(', ')', ' ']).to_ascii_lowercase();
    let text = text.strip_suffix(" found").unwrap_or(&text);
    let nothing = ["", "none", "n/a", "nothing", "no issues", "no findings"];
    nothing.contains(&text)
        || ["critical", "important", "minor"].iter().any(|class| text == format!("no {class} issues"))
}
