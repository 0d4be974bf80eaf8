//! Values that are called a password, a secret, a token or a key, and look as if they were one.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::detect::{Assurance, Found, GUESS_SIGNS, Grade, secrets_in};
use super::keychain::Keychain;
use super::name::words;
use super::place::{Place, has_bare_values};
use super::shape::{contains_any, is_joined_words, is_random};
use super::{below, cluster};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::mask::Kind;
use crate::redact::MASK;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};

pub(super) const ID: &str = "hardcoded-credential";

static INFO: RuleInfo = RuleInfo {
    id: text(ID),
    title: text("A value in the code that looks like a password, a token or a key"),
    why: text("If it is real, whoever can read the repository, now or in its history, can use it"),
    fix: text(
        "Read it from the environment or a secret store, and revoke it if it was real; if it is none, say so in \
         a comment: `countersign:ignore hardcoded-credential -- reason`",
    ),
    severity: Severity::High,
    category: Category::Security,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[
        Example::bad("src/db.py", concat!("db_pass", "word = 'Tr0ub4dor&3zq'\n"), &[1]),
        Example::good("src/db.py", "password = os.environ['DB_PASSWORD']\n"),
        Example::good("vendor/db.py", concat!("db_pass", "word = 'Tr0ub4dor&3zq'\n")),
        Example::good(".env.example", concat!("DB_PASS", "WORD=Tr0ub4dor&3zq\n")),
    ]),
};

pub(crate) struct HardcodedCredential;

impl FileRule for HardcodedCredential {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::LinesAndPaths(GUESS_SIGNS.as_slice())
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if let Some(keychain) = Keychain::of(file.change.path()) {
            check_keychain(file, keychain, report);
            return;
        }
        let mut objects = false;
        let added = OnceCell::new();
        let lines_below = |line: &AddedLine<'_>, most| {
            let added = added.get_or_init(|| file.added().collect::<Vec<_>>());
            behind(added, line.number, most)
        };
        for line in hits {
            objects |= contains_any(line.text, &["kind: secret"]);
            let found = secrets_in(line.text);
            // What has a known form is the business of `secret`.
            if found.iter().any(|found| found.grade.is_known_form()) {
                continue;
            }
            let weighed = found.iter().filter_map(|found| Some((found, weigh(file, line, found)?)));
            if let Some((found, confidence)) = weighed.max_by_key(|(_, confidence)| *confidence) {
                report.add(draft(line, found, confidence));
            } else if below::may_follow(line.text) {
                check_below(file, line, lines_below(line, below::FARTHEST), report);
            } else if opens_block(line.text) {
                check_below(file, line, lines_below(line, 1), report);
            }
        }
        if objects && file.language == Language::Settings {
            check_objects(file, report);
        }
    }
}

/// What a program keeps for itself counts as it stands there; only its sort of place can be a matter of doubt.
fn check_keychain(file: &FileContext<'_>, keychain: Keychain, report: &mut Reporter<'_>) {
    for line in file.added() {
        let found = secrets_in(line.text);
        if found.iter().any(|found| found.grade.is_known_form()) || Place::of(file, &line) != Place::Live {
            continue;
        }
        if let Some(range) = keychain.password(line.text) {
            report.add(kept_draft(&line, &range));
        } else if let Some((found, confidence)) =
            found.iter().find_map(|found| Some((found, weigh(file, &line, found)?)))
        {
            report.add(draft(&line, found, confidence));
        }
    }
}

/// Alone, its line would be quoted as it is.
fn kept_draft(line: &AddedLine<'_>, range: &Range<usize>) -> Draft {
    let masked = [&line.text[..range.start], MASK.as_bytes(), &line.text[range.end..]].concat();
    let line = AddedLine { number: line.number, text: &masked };
    Draft::line(&line, "This line adds a password where a program keeps it".to_owned())
        .confidence(Confidence::Medium)
}

fn draft(line: &AddedLine<'_>, found: &Found, confidence: Confidence) -> Draft {
    let draft = Draft::line(line, format!("This line adds {}", found.what)).confidence(confidence);
    if confidence == Confidence::Low { draft.severity(Severity::Low) } else { draft }
}

/// How sure it is that the find is a credential, in this place; `None` if it is not worth a word.
fn weigh(file: &FileContext<'_>, line: &AddedLine<'_>, found: &Found) -> Option<Confidence> {
    let written = found.grade == Grade::Quoted || has_bare_values(file);
    if !written || !is_convincing(line.text, &found.range) {
        return None;
    }
    let place =
        if is_quoted_in_text(file, line, &found.range) { Place::Doubtful } else { Place::of(file, line) };
    match (place, found.assurance) {
        (Place::Live, Assurance::Certain | Assurance::Likely) => Some(Confidence::Medium),
        (Place::Live, Assurance::Possible | Assurance::MadeUp) => Some(Confidence::Low),
        (Place::Doubtful, Assurance::Certain | Assurance::Likely) if found.random => Some(Confidence::Low),
        (Place::Doubtful, _) | (Place::Harmless, _) => None,
    }
}

/// Whether the value and its quotes stand in a comment, or in a string that explains something.
fn is_quoted_in_text(file: &FileContext<'_>, line: &AddedLine<'_>, range: &Range<usize>) -> bool {
    let Some(quote) = range.start.checked_sub(1).filter(|at| b"\"'`".contains(&line.text[*at])) else {
        return false;
    };
    let before = line.text[..quote].iter().rposition(|byte| !byte.is_ascii_alphabetic());
    let kind = before.filter(|_| file.language.is_program()).and_then(|at| file.kind(line, at));
    kind.is_some_and(|kind| kind != Kind::Code)
}

/// What says of itself that it opens nothing, has the form of something public, or is put together from words,
/// is no credential.
fn is_convincing(line: &[u8], range: &Range<usize>) -> bool {
    let value = &line[range.clone()];
    let says_so = contains_any(value, &["insecure", "local", "unsafe"])
        && !value.starts_with(b"django-insecure-")
        || says_what_for(value);
    let is_short_json = value.starts_with(b"eyJ") && value.len() < 80;
    !says_so && !is_short_json && !is_joined_words(value)
}

/// Whether one of its words names a place where nothing is at stake. In what a generator made, letters meet by chance.
fn says_what_for(value: &[u8]) -> bool {
    const PLACES: [&str; 3] = ["dev", "test", "ci"];
    let is_part = |part: &[u8]| PLACES.iter().any(|place| part.eq_ignore_ascii_case(place.as_bytes()));
    let is_word = || words(value).iter().any(|word| PLACES.contains(&word.as_str()));
    value.split(|byte| !byte.is_ascii_alphanumeric()).any(is_part) || (!is_random(value) && is_word())
}

/// Whether the value of the line's name stands on the next one.
fn opens_block(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    [&b"|"[..], b">", b"|-", b">-"].iter().any(|sign| line.ends_with(sign))
}

/// The lines that were added right behind one, without a gap.
fn behind<'l, 'a>(added: &'l [AddedLine<'a>], line: u32, most: usize) -> &'l [AddedLine<'a>] {
    let next = &added[added.partition_point(|one| one.number <= line)..];
    let count = next
        .iter()
        .zip(line.saturating_add(1)..)
        .take(most)
        .take_while(|(one, at)| one.number == *at)
        .count();
    &next[..count]
}

/// The lines below belong to it, as far as they were added with it.
fn check_below(
    file: &FileContext<'_>,
    line: &AddedLine<'_>,
    next: &[AddedLine<'_>],
    report: &mut Reporter<'_>,
) {
    let mut both = line.text.to_vec();
    let mut below = Vec::new();
    for next in next {
        both.push(b'\n');
        below.push((both.len(), next));
        both.extend_from_slice(next.text);
    }
    let Some((first, _)) = below.first() else { return };
    let found = secrets_in(&both);
    let names = |range: &Range<usize>| range.start >= *first;
    let Some(found) = found.iter().find(|found| names(&found.range) && !found.grade.is_known_form()) else {
        return;
    };
    let Some((start, next)) = below.iter().rev().find(|(start, _)| *start <= found.range.start) else {
        return;
    };
    // What its own line gives away is told there.
    let alone = secrets_in(next.text).iter().any(|known| weigh(file, next, known).is_some());
    let whole = AddedLine { number: next.number, text: &both };
    if let Some(confidence) = weigh(file, &whole, found).filter(|_| !alone) {
        report.add(masked_draft(next, *start, found, confidence));
    }
}

/// Objects may be told from others only by all of their lines.
fn check_objects(file: &FileContext<'_>, report: &mut Reporter<'_>) {
    let lines: Vec<AddedLine<'_>> = file.added().collect();
    let text = lines.iter().map(|line| line.text).collect::<Vec<_>>().join(&b'\n');
    let found = cluster::secrets(&text);
    let (mut start, mut found) = (0, found.iter().peekable());
    for line in &lines {
        let end = start + line.text.len() + 1;
        while let Some(value) = found.next_if(|value| value.range.start < end) {
            let already = secrets_in(line.text)
                .iter()
                .any(|known| weigh(file, line, known).is_some() || known.grade.is_known_form());
            let place = Place::of(file, line);
            if !already && place == Place::Live {
                report.add(masked_draft(line, start, value, Confidence::Medium));
            }
        }
        start = end;
    }
}

/// For what only the lines around it give away: alone, its line would be quoted as it is. `start` is where the line
/// starts in the text that was searched.
fn masked_draft(line: &AddedLine<'_>, start: usize, found: &Found, confidence: Confidence) -> Draft {
    let within = found.range.start - start..found.range.end - start;
    let masked = [&line.text[..within.start], MASK.as_bytes(), &line.text[within.end..]].concat();
    draft(&AddedLine { number: line.number, text: &masked }, found, confidence)
}
