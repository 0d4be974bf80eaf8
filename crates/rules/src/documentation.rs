//! The list of rules as documentation, from the rules themselves.

use std::fmt::Write as _;

use domain::words::Category;

use crate::catalogue::catalogue;
use crate::language::Language;
use crate::rule::RuleInfo;

const HEAD: &str = "# The built-in rules\n\n\
    This page is written by `countersign rules docs`; a test compares the two. What a rule says about a language is \
    tested with examples that have to be reported and look-alikes that must not be. `countersign rules show ID` \
    prints some of them.\n";

/// All built-in rules by category, and which languages each has been tested in.
pub fn documentation() -> String {
    let rules = catalogue();
    let mut text = HEAD.to_owned();
    for category in Category::ALL {
        let of_category: Vec<&RuleInfo> =
            rules.iter().copied().filter(|rule| rule.category == category).collect();
        if of_category.is_empty() {
            continue;
        }
        let _ =
            write!(text, "\n## {category}\n\n| rule | finds | severity | languages |\n|---|---|---|---|\n");
        for rule in of_category {
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} |",
                rule.id,
                rule.title.replace('|', "\\|"),
                rule.severity,
                languages(&rule.languages)
            );
        }
    }
    text
}

fn languages(languages: &[Language]) -> String {
    match languages {
        [] => "any text".to_owned(),
        languages => languages.iter().map(|language| language.as_str()).collect::<Vec<_>>().join(", "),
    }
}
