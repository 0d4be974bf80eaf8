//! Secrets that the change brings into the repository.

mod address;
mod below;
mod binary;
mod calls;
mod checksum;
mod cluster;
mod command;
pub(crate) mod credential;
mod detect;
mod encoded;
mod generic;
mod issuers;
mod joined;
mod keychain;
mod keys;
mod literal;
mod name;
mod operator;
mod pairs;
mod place;
mod plain;
mod sample;
mod shape;
mod spoken;
mod structured;
mod tokens;
mod window;

use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use binary::BinaryTexts;
use detect::{Assurance, FORM_SIGNS, Found, Grade};
pub(crate) use detect::{Reading, secrets_in, secrets_read_as};
pub(crate) use keychain::Keychain;
use place::Place;
use window::Windows;

use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, Reach, RuleInfo, text};

pub(crate) const ID: &str = "secret";

static INFO: RuleInfo = RuleInfo {
    id: text(ID),
    title: text("A secret of a known format, in any file of the change"),
    why: text("Whoever can read the repository, now or in its history, can use the secret"),
    fix: text(
        "Revoke the secret, take it out of the commit, and read it from the environment or a secret store",
    ),
    severity: Severity::Critical,
    category: Category::Security,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[
        Example::bad(
            "deploy.sh",
            concat!("push --token gh", "p_Zk3Lw9QxV7rTn2Bd", "Hs5Jm8Pc4Yf6Ga1Eu0Wi\n"),
            &[1],
        ),
        Example::good("src/db.py", "password = os.environ['DB_PASSWORD']\n"),
        Example::bad("vendor/a.js", concat!("x('gh", "p_Zk3Lw9QxV7rTn2Bd", "Hs5Jm8Pc4Yf6Ga1Eu0Wi')\n"), &[1]),
        Example::good("README.md", "export API_TOKEN=<your token>\n"),
    ]),
};

/// Whether what the rule finds has to stay out of sight.
pub(crate) fn tells_of_secrets(rule: &str) -> bool {
    rule == ID || rule == credential::ID
}

pub(crate) struct Secret;

impl FileRule for Secret {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::LinesAndPaths(FORM_SIGNS.as_slice())
    }

    fn reach(&self) -> Reach {
        Reach::Everything
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        check_path(file, report);
        check_binary(file, report);
        let mut key_headers = Vec::new();
        let mut windows = Windows::new(file);
        for line in hits {
            let known = secrets_in(line.text).into_iter().filter(|found| found.grade.is_known_form());
            if let Some(mut found) = known.min_by_key(|found| (found.assurance, found.grade)) {
                // Documents and tests are where made-up tokens belong, and where they are cut up for those who look for
                // tokens.
                let live = Place::of(file, line) == Place::Live;
                if window::is_joined(&line.text[found.range.clone()]) && !live {
                    found.assurance = found.assurance.max(Assurance::Possible);
                }
                if found.assurance != Assurance::MadeUp || live {
                    report.add(draft(file, line, &found));
                }
            } else if keys::opens_private_key(line.text) {
                key_headers.push(line.number);
            } else if Place::of(file, line) == Place::Live
                && let Some((found, masked)) = windows.secret(line)
            {
                report.add(draft(file, &AddedLine { number: line.number, text: &masked }, &found));
            }
        }
        if !key_headers.is_empty() {
            check_private_keys(file, &key_headers, report);
        }
    }
}

/// A path is shown and kept wherever the file is. A guess would be wrong too often here.
fn check_path(file: &FileContext<'_>, report: &mut Reporter<'_>) {
    let found = file.new_path().map(|path| secrets_in(path.as_bytes())).unwrap_or_default();
    if let Some(found) = found.iter().find(|found| is_sure(found)) {
        report.add(Draft::file(format!("The path of this file holds {}", found.what)));
    }
}

/// No diff shows it: the texts in it are looked through, and only for what cannot be chance.
fn check_binary(file: &FileContext<'_>, report: &mut Reporter<'_>) {
    let secret = |text: &[u8]| secrets_in(text).iter().find(|found| is_sure(found)).map(|found| found.what);
    let mut texts = BinaryTexts::default();
    let mut found = None;
    file.stream_binary(&mut |piece| {
        if found.is_none() {
            found = texts.search(piece, &secret);
        }
    });
    if let Some(what) = found.or_else(|| texts.finish(&secret)) {
        report.add(Draft::file(format!("This binary file holds {what}")));
    }
}

/// Nothing but the token of an issuer looks like this.
fn is_sure(found: &Found) -> bool {
    found.grade == Grade::Format && found.assurance < Assurance::Possible
}

/// A header alone is what code that reads keys looks for; with a line of base64 below it is a key.
fn check_private_keys(file: &FileContext<'_>, headers: &[u32], report: &mut Reporter<'_>) {
    let mut header: Option<AddedLine<'_>> = None;
    let mut below = 0;
    for line in file.added() {
        if headers.binary_search(&line.number).is_ok() {
            (header, below) = (Some(line), 0);
            continue;
        }
        below += 1;
        let Some(open) = header.filter(|open| line.number == open.number + below) else { continue };
        if keys::is_key_line(line.text) {
            report.add(weighed(file, &open, keys::PRIVATE_KEY, Grade::HomeMade));
            header = None;
        } else if below > LONGEST_KEY_HEADER || !keys::is_key_header(line.text) {
            header = None;
        }
    }
}

/// Lines between the header of a key and the key.
const LONGEST_KEY_HEADER: u32 = 5;

fn draft(file: &FileContext<'_>, line: &AddedLine<'_>, found: &Found) -> Draft {
    let draft = weighed(file, line, found.what, found.grade);
    match found.assurance {
        Assurance::Certain => draft,
        Assurance::Likely => draft.confidence(Confidence::Medium),
        Assurance::Possible | Assurance::MadeUp => draft.severity(Severity::Low).confidence(Confidence::Low),
    }
}

fn weighed(file: &FileContext<'_>, line: &AddedLine<'_>, what: &str, grade: Grade) -> Draft {
    let draft = Draft::line(line, format!("This line adds {what}"));
    // Whoever may read the repository knows it since before the change.
    if file.stands_in_base() {
        return draft.severity(Severity::Low).confidence(Confidence::Low);
    }
    // Test data and documentation: most likely made for it. Issuers' tokens cannot be.
    let made_for_a_test =
        grade == Grade::HomeMade && (file.is_test_file() || file.language == Language::Prose);
    if made_for_a_test { draft.severity(Severity::Medium).confidence(Confidence::Low) } else { draft }
}
