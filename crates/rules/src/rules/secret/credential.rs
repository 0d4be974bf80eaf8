//! Values that are called a password, a secret, a token or a key, and look as if they were one.

use std::borrow::Cow;
use std::ops::Range;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::detect::{Grade, LITERALS, secrets_in};
use super::shape::{contains_any, is_joined_words};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("hardcoded-credential"),
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
        Interest::Literals { added: &LITERALS, removed: &[] }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        let for_people = matches!(file.language, Language::Prose | Language::Html);
        if for_people || file.is_test_file() || is_a_pattern_to_fill_in(file) {
            return;
        }
        let unquoted_values = matches!(file.language, Language::Settings | Language::Shell);
        for line in hits {
            let found = secrets_in(line.text);
            // What has an issuer's format is the business of `secret`.
            if found.iter().any(|found| found.grade <= Grade::HomeMade) {
                continue;
            }
            let convincing = found.into_iter().find(|found| {
                (found.grade == Grade::Quoted || unquoted_values) && is_convincing(line.text, &found.range)
            });
            let in_test = || file.language == Language::Rust && file.in_test(line.number);
            if let Some(found) = convincing.filter(|_| !in_test()) {
                report.add(Draft::line(line, format!("This line adds {}", found.what)));
            }
        }
    }
}

/// `.env.example`, `config.yaml.dist`: copied and filled in where the program runs.
fn is_a_pattern_to_fill_in(file: &FileContext<'_>) -> bool {
    let name = String::from_utf8_lossy(file.change.path().file_name()).to_ascii_lowercase();
    name.split(['.', '-', '_'])
        .any(|part| ["example", "examples", "sample", "template", "tmpl", "dist", "dummy"].contains(&part))
}

/// What says of itself that it opens nothing, has the form of something public, or is put together from words,
/// is no credential.
fn is_convincing(line: &[u8], range: &Range<usize>) -> bool {
    let value = &line[range.clone()];
    let says_so = contains_any(value, &["insecure", "local", "unsafe", "notreal", "not-real"])
        || words(value).any(|word| ["dev", "test", "ci"].contains(&word.as_str()));
    let is_address = value.starts_with(b"0x") && value[2..].iter().all(u8::is_ascii_hexdigit);
    let is_short_json = value.starts_with(b"eyJ") && value.len() < 80;
    let called_public = words(name_before(&line[..range.start])).any(|word| PUBLIC.contains(&word.as_str()));
    !says_so && !is_address && !is_short_json && !called_public && !is_joined_words(value)
}

/// Words in a name that say that its value may be seen by anybody.
const PUBLIC: [&str; 16] = [
    "address",
    "addr",
    "mint",
    "contract",
    "public",
    "pub",
    "cursor",
    "page",
    "next",
    "continuation",
    "sync",
    "csrf",
    "placeholder",
    "fingerprint",
    "checksum",
    "model",
];

/// The name that the value is given to: the last word in front of it.
fn name_before(text: &[u8]) -> &[u8] {
    let reach = &text[text.len().saturating_sub(120)..];
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let end = reach.iter().rposition(is_word).map_or(0, |at| at + 1);
    let start = reach[..end].iter().rposition(|byte| !is_word(byte)).map_or(0, |at| at + 1);
    &reach[start..end]
}

/// In lower case; `camelCase` is two words, and so is what any sign separates.
fn words(text: &[u8]) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut before = b'A';
    for byte in text {
        let begins = byte.is_ascii_uppercase() && before.is_ascii_lowercase();
        if begins || !byte.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| byte.is_ascii_alphanumeric()) {
            word.push(char::from(byte.to_ascii_lowercase()));
        }
        before = *byte;
    }
    words.into_iter()
}
