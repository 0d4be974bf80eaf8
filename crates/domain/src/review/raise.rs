//! What belongs into a class whatever its reviewer called it: security vulnerabilities, crashes, data loss and missing
//! critical tests are critical; performance problems, incomplete implementation and significant test gaps are important.

use super::{Confidence, Finding, NOTES_RULE};
use crate::words::{Category, Class, Severity};

/// What a finding says when it is of a class. Each line is a phrase: beginnings of words that follow each other, with at
/// most [`MAX_GAP`] words in between.
struct Sign {
    class: Class,
    categories: &'static [Category],
    what: &'static str,
    phrases: &'static str,
}

const MAX_GAP: usize = 2;
/// A phrase that one of these words goes before is denied: `prevents SQL injection`.
const DENIALS: [&str; 10] =
    ["no", "not", "nothing", "never", "without", "prevents", "prevent", "avoids", "avoid", "against"];
const DENIED_WITHIN: usize = 3;

const SIGNS: [Sign; 6] = [
    Sign {
        class: Class::Critical,
        categories: &[Category::Security],
        what: "a security vulnerability",
        phrases: "sql inject\ncommand inject\ncode inject\nshell inject\ntemplate inject\nheader inject\nldap inject\n\
                  nosql inject\nxpath inject\ninjection vulnerab\ninjection attack\ninjection flaw\nxss\n\
                  cross site script\ncross site request\ncsrf\nssrf\nserver side request\nxxe\nexternal entit\n\
                  path travers\ndirectory travers\nremote code execut\nrce\narbitrary code\narbitrary command\n\
                  arbitrary file\ndeserializ untrusted\ndeserialis untrusted\nuntrusted deserial\ninsecure deserial\n\
                  unsafe deserial\nopen redirect\nprivilege escalat\nauthentication bypass\nauthorization bypass\n\
                  authorisation bypass\nauth bypass\nbypass authent\nbypass authori\nmissing authent\nmissing authori\n\
                  without authent\nwithout authori\nprototype pollut\nhard coded passw\nhard coded secret\n\
                  hard coded credential\nhard coded key\nhard coded token\nhardcoded passw\nhardcoded secret\n\
                  hardcoded credential\nhardcoded key\nhardcoded token\nplain text passw\npassword plain text\n\
                  password logged\ntoken logged\nsecret logged\npassword leak\ntoken leak\nsecret leak\ncredential leak\n\
                  vulnerab\nexploit\nsandbox escape\nquery built user\nquery concatenat\nsql concatenat\ncommand concatenat",
    },
    Sign {
        class: Class::Critical,
        categories: &[Category::Correctness, Category::Security],
        what: "a crash",
        phrases: "crash\npanic\nsegfault\nsegmentation fault\nnull pointer\nnullpointer\nnull derefer\nunhandled excep\n\
                  uncaught excep\nout of bounds\nindex out of\ndivision by zero\ndivide by zero\ndivides by zero\n\
                  stack overflow\nuse after free\ndouble free\nbuffer overflow",
    },
    Sign {
        class: Class::Critical,
        categories: &[Category::Correctness, Category::Security],
        what: "data loss",
        phrases: "data loss\nloss of data\nlost data\nlose data\nloses data\ndata lost\ndelet all\n\
                  wipe the database\nwipe data\noverwrit data\noverwrit file\ncorrupt data\ncorrupt file\ncorrupt database\n\
                  data corrupt\ntruncat file\ntruncat table\ndrops table\ndrop table",
    },
    Sign {
        class: Class::Critical,
        categories: &[Category::Testing],
        what: "a missing critical test",
        phrases: "missing critical test\ncritical untested\ncritical not tested\ncritical no test\ncritical without test\n\
                  critical not covered\nno test critical\nno tests critical\nuntested critical\nno test covers critical",
    },
    Sign {
        class: Class::Important,
        categories: &[Category::Performance],
        what: "a performance problem",
        phrases: "n 1 query\nn 1 problem\nquery loop\nquery inside loop\nquery each\nquery per\nquadratic\nexponential\n\
                  o n 2\no n\u{b2}\nmemory leak\nleaks memory\nconnection leak\nunbounded\nfull table scan\nentire memory\n\
                  whole memory\nblocks event loop\nblocking event loop",
    },
    Sign {
        class: Class::Important,
        categories: &[Category::Correctness, Category::Testing],
        what: "an incomplete implementation or a significant test gap",
        phrases: "not implemented\nunimplemented\nnever implemented\nincomplete implement\nimplementation incomplete\n\
                  implementation missing\nmissing implement\nonly stub\ncriteri not met\ncriteri not fulfil\n\
                  criteri not satisf\nrequirement not met\nsignificant test gap\nsignificant gap\nno tests at all\n\
                  entirely untested\ncompletely untested\nwholly untested",
    },
];

/// How bad a finding is at least, by what it says, and what it is about; nothing if its severity says as much.
fn raised(severity: Severity, category: Category, said: &[&str]) -> Option<(Severity, &'static str)> {
    let texts: Vec<Vec<String>> = said.iter().map(|text| words(text)).collect();
    SIGNS
        .iter()
        .filter(|sign| sign.class > severity.class() && sign.categories.contains(&category))
        .find(|sign| sign.phrases.lines().any(|phrase| texts.iter().any(|text| says(text, phrase.trim()))))
        .map(|sign| (sign.class.severity(), sign.what))
}

/// Raises what a model, an agent or a person found, and marks it. What a rule finds has the severity of its rule, and a
/// finding of low confidence stays advice.
pub fn raise(finding: &mut Finding) {
    if !finding.is_judged() || finding.rule == NOTES_RULE || finding.confidence == Confidence::Low {
        return;
    }
    let before = finding.severity;
    if let Some((severity, what)) = raised(before, finding.category, &[&finding.message, &finding.impact]) {
        finding.severity = severity;
        finding.note(&format!("Raised from {before} to {severity}: it says that this is {what}."));
    }
}

/// Whether a text says one of several phrases, one a line, and does not deny it.
pub(crate) fn says_any(text: &str, phrases: &str) -> bool {
    let text = words(text);
    phrases.lines().any(|phrase| says(&text, phrase.trim()))
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn says(text: &[String], phrase: &str) -> bool {
    let pieces: Vec<&str> = phrase.split(' ').collect();
    let begins = |at: &usize| begins_at(text, *at, &pieces);
    let denied = |at: usize| {
        text[at.saturating_sub(DENIED_WITHIN)..at].iter().any(|word| DENIALS.contains(&word.as_str()))
    };
    (0..text.len()).filter(begins).any(|at| !denied(at))
}

fn begins_at(text: &[String], at: usize, pieces: &[&str]) -> bool {
    let mut from = at;
    pieces.iter().enumerate().all(|(index, piece)| {
        let most = if index == 0 { 1 } else { MAX_GAP + 1 };
        let found = text.iter().skip(from).take(most).position(|word| fits(word, piece));
        from += found.map_or(0, |offset| offset + 1);
        found.is_some()
    })
}

/// Short pieces are whole words: `no` is not in `node`.
fn fits(word: &str, piece: &str) -> bool {
    if piece.len() <= 3 { word == piece } else { word.starts_with(piece) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn severity(category: Category, said: &str) -> Severity {
        raised(Severity::Medium, category, &[said]).map_or(Severity::Medium, |(severity, _)| severity)
    }

    #[test]
    fn what_is_critical_or_important_is_raised() {
        use Category::{Correctness, Performance, Security, Testing};
        for (category, said, expected) in [
            (Security, "The query is open to SQL injection", Severity::Critical),
            (Security, "User names are rendered unescaped: stored XSS", Severity::Critical),
            (Security, "Path traversal via `name`", Severity::Critical),
            (Security, "Hard-coded password", Severity::Critical),
            (Correctness, "The server crashes on an empty list", Severity::Critical),
            (Correctness, "Causes a NullPointerException", Severity::Critical),
            (Correctness, "A second run deletes all files: data loss", Severity::Critical),
            (
                Testing,
                "The critical payment path is untested: no test covers the critical branch",
                Severity::Critical,
            ),
            (Performance, "An N+1 query for each user", Severity::Major),
            (Performance, "The cache is unbounded", Severity::Major),
            (Correctness, "Acceptance criterion 2 is not met", Severity::Major),
            (Correctness, "The export is not implemented", Severity::Major),
            (Testing, "A significant test gap: the parser", Severity::Major),
        ] {
            assert_eq!(severity(category, said), expected, "{said}");
        }
    }

    #[test]
    fn what_says_no_such_thing_stays_as_it_is() {
        use Category::{Correctness, Performance, Readability, Security, Testing};
        for (category, said) in [
            (Readability, "The name `sql_injection_check` says little"),
            (Security, "The comment on dependency injection is outdated"),
            (Security, "The escaping prevents SQL injection, and its name should say so"),
            (Correctness, "The loop runs once too often"),
            (Performance, "A set would be a little faster"),
            (Testing, "One more edge case could be tested"),
        ] {
            assert_eq!(severity(category, said), Severity::Medium, "{said}");
        }
        assert_eq!(raised(Severity::Critical, Security, &["SQL injection"]), None);
        assert_eq!(raised(Severity::High, Performance, &["quadratic"]), None);
    }

    #[test]
    fn only_confident_judgements_are_raised_and_they_say_so() {
        let mut finding = super::super::notes_as_finding(&[]);
        finding.rule = super::super::JUDGED.into();
        (finding.category, finding.severity) = (Category::Security, Severity::Medium);
        finding.message = "SQL injection".into();
        let mut by_rule = Finding { rule: "sql-injection".into(), ..finding.clone() };
        let mut unsure = Finding { confidence: Confidence::Low, ..finding.clone() };
        [&mut finding, &mut by_rule, &mut unsure].into_iter().for_each(raise);
        assert_eq!(finding.severity, Severity::Critical);
        let mark = "Raised from MEDIUM to CRITICAL: it says that this is a security vulnerability.";
        assert_eq!(finding.impact, mark);
        assert_eq!((by_rule.severity, unsure.severity), (Severity::Medium, Severity::Medium));
        raise(&mut finding);
        assert_eq!(finding.impact, mark, "once");
    }
}
