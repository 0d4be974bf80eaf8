use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, Reach, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("hidden-unicode"),
    title: text("Characters that a reader cannot see"),
    why: text("What the reviewer sees is not what the compiler reads"),
    fix: text("Remove the character, or write it as an escape; end lines with a line feed"),
    severity: Severity::High,
    category: Category::Security,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[
        Example::bad(
            "src/a.js",
            "if (role != \"user\u{202E} \u{2066}// admin\u{2069} \u{2066}\") {}\n",
            &[1],
        ),
        Example::bad("src/a.py", "pay\u{200B}load = 1\n", &[1]),
        Example::bad("src/b.py", "x = 1  # set\rimport os\n", &[1]),
        Example::bad("a.md", "Read this\u{E0049}\u{E0047}\u{E004E}.\n", &[1]),
        Example::good("src/a.js", "const family = '\u{1F468}\u{200D}\u{1F469}';\n"),
        Example::good(
            "src/a.js",
            "const farsi = '\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}';\n",
        ),
        Example::good("a.cs", "\u{FEFF}using System;\n"),
    ]),
};

/// The first bytes of every character that `trouble` may object to.
const LEADS: &[&[u8]] = &[
    b"\xE2\x80\x8B",
    b"\xE2\x80\x8C",
    b"\xE2\x80\x8D",
    b"\xE2\x80\x8E",
    b"\xE2\x80\x8F",
    b"\r",
    b"\xE2\x80\xA8",
    b"\xE2\x80\xA9",
    b"\xE2\x80\xAA",
    b"\xE2\x80\xAB",
    b"\xE2\x80\xAC",
    b"\xE2\x80\xAD",
    b"\xE2\x80\xAE",
    b"\xE2\x81\xA0",
    b"\xE2\x81\xA1",
    b"\xE2\x81\xA2",
    b"\xE2\x81\xA3",
    b"\xE2\x81\xA4",
    b"\xE2\x81\xA6",
    b"\xE2\x81\xA7",
    b"\xE2\x81\xA8",
    b"\xE2\x81\xA9",
    b"\xEF\xBB\xBF",
    b"\xD8\x9C",
    b"\xC2\xAD",
    b"\xCD\x8F",
    b"\xE1\x85\x9F",
    b"\xE1\x85\xA0",
    b"\xE1\xA0\x8E",
    b"\xE3\x85\xA4",
    b"\xEF\xBE\xA0",
    b"\xF3\xA0\x80",
    b"\xF3\xA0\x81",
    b"\xF3\xA0\x84",
    b"\xF3\xA0\x85",
    b"\xF3\xA0\x86",
    b"\xF3\xA0\x87",
];

pub(crate) struct HiddenUnicode;

impl FileRule for HiddenUnicode {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals { added: LEADS, removed: &[] }
    }

    fn reach(&self) -> Reach {
        Reach::Everything
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        let audience = match file.language {
            Language::Prose | Language::Html | Language::Json | Language::Unknown => Audience::People,
            language if language.is_program() => Audience::Compilers,
            _ => Audience::Machines,
        };
        let mut found = hits.iter().filter_map(|line| {
            let text = String::from_utf8_lossy(line.text);
            let hidden = hidden_in(text.trim_end_matches('\r'), audience);
            Some((line, *hidden.first()?, hidden.len()))
        });
        let Some((line, (column, c), count)) = found.next() else { return };
        let (mut more, mut lines) = (count - 1, Vec::new());
        for (other, _, count) in found {
            more += count;
            lines.push(other.number);
        }
        let message = format!(
            "Invisible character U+{:04X} ({}) at column {column}{}",
            u32::from(c),
            name(c),
            others(more, &lines)
        );
        let draft = Draft::line(line, message);
        let is_test_data = file.is_test_file() && audience == Audience::People;
        report.add(if is_test_data { draft.severity(Severity::Low) } else { draft });
    }
}

/// So many further lines are named.
const MOST_LINES: usize = 5;

/// What else there is in the file: each file is told of once, since one tool or hand put them all there.
fn others(more: usize, lines: &[u32]) -> String {
    let named: Vec<String> = lines.iter().take(MOST_LINES).map(u32::to_string).collect();
    let rest = lines.len().saturating_sub(MOST_LINES);
    let word = if lines.len() == 1 { "line" } else { "lines" };
    match (more, lines.is_empty(), rest) {
        (0, _, _) => String::new(),
        (_, true, _) => format!(", and {more} more"),
        (_, false, 0) => format!(", and {more} more, also on {word} {}", named.join(", ")),
        (_, false, _) => format!(", and {more} more, also on {word} {} and {rest} others", named.join(", ")),
    }
}

/// Who reads the text: natural language needs joiners and marks that have no place in code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Audience {
    People,
    Machines,
    /// As machines, and they may end a line where no diff does.
    Compilers,
}

fn hidden_in(text: &str, audience: Audience) -> Vec<(usize, char)> {
    let mut hidden = Vec::new();
    let nested = audience == Audience::People && is_balanced(text);
    let (mut before, mut flag) = (None, false);
    let mut chars = text.chars().enumerate().peekable();
    while let Some((index, c)) = chars.next() {
        let after = chars.peek().map(|(_, c)| *c);
        let is_tag = ('\u{E0020}'..='\u{E007F}').contains(&c);
        flag = c == '\u{1F3F4}' || (flag && is_tag);
        let allowed = match c {
            '\u{202A}'..='\u{202C}' | '\u{2066}'..='\u{2069}' => nested,
            _ if is_tag => flag,
            _ => false,
        };
        if !allowed && is_trouble(c, before, after, audience) {
            hidden.push((index + 1, c));
        }
        before = Some(c);
    }
    hidden
}

/// Whether every embedding and isolate is closed on its line, as translations write them around names. An
/// override, which turns letters around, is never in order.
fn is_balanced(text: &str) -> bool {
    let (mut embedded, mut isolated) = (0i32, 0i32);
    for c in text.chars() {
        match c {
            '\u{202A}' | '\u{202B}' => embedded += 1,
            '\u{202C}' => embedded -= 1,
            '\u{2066}'..='\u{2068}' => isolated += 1,
            '\u{2069}' => isolated -= 1,
            _ => {}
        }
        if embedded < 0 || isolated < 0 {
            return false;
        }
    }
    embedded == 0 && isolated == 0
}

fn is_trouble(c: char, before: Option<char>, after: Option<char>, audience: Audience) -> bool {
    let beside = |test: fn(char) -> bool| before.is_some_and(test) || after.is_some_and(test);
    let for_machines = audience != Audience::People;
    match c {
        '\r' | '\u{2028}' | '\u{2029}' => audience == Audience::Compilers,
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => true,
        '\u{E0000}'..='\u{E007F}' => true,
        '\u{E0100}'..='\u{E01EF}' => !before.is_some_and(is_ideograph),
        '\u{200C}' | '\u{200D}' => {
            !beside(is_joined) && (for_machines || beside(|c| c.is_ascii_alphanumeric()))
        }
        '\u{200E}' | '\u{200F}' | '\u{61C}' => for_machines && !beside(is_right_to_left),
        '\u{200B}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{AD}' | '\u{34F}' | '\u{180E}' => for_machines,
        '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' => !beside(is_hangul),
        _ => false,
    }
}

/// Emoji, and letters of scripts that are written joined.
fn is_joined(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{DFF}' | '\u{1780}'..='\u{18AF}' | '\u{2190}'..='\u{2BFF}' | '\u{FE0F}' | '\u{1F000}'..='\u{1FAFF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7FF}')
}

fn name(c: char) -> &'static str {
    match c {
        '\r' | '\u{2028}' | '\u{2029}' => "ends a line where no diff shows it",
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{61C}' => {
            "changes the direction of text"
        }
        '\u{E0000}'..='\u{E007F}' => "a tag character",
        '\u{E0100}'..='\u{E01EF}' => "a variation selector",
        '\u{200C}' | '\u{200D}' => "a joiner",
        '\u{AD}' => "a soft hyphen",
        '\u{FEFF}' => "a byte order mark inside the text",
        _ => "has no width",
    }
}
