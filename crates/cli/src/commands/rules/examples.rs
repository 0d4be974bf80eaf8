use std::fmt::Write as _;

use rules::{FailedExample, ProjectRules};

use super::shown::{Listed, Origin};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty::count;

/// Runs all examples, or those of one rule; whether one of them failed is the exit code.
pub(super) fn run(
    project: &ProjectRules,
    all: &[Listed],
    only: Option<&str>,
    format: Listing,
) -> Result<Exit, Failure> {
    let (ours, own) = (rules::test_built_in(only), project.test(only));
    let failed: Vec<&FailedExample> = ours.failed.iter().chain(&own.failed).collect();
    let passed = ours.passed + own.passed;
    let untested = untested(all);
    if let Some(id) = only.filter(|_| passed == 0 && failed.is_empty()) {
        let origin = all.iter().find(|rule| rule.info.id == id).map_or(Origin::BuiltIn, |rule| rule.origin);
        return Err(nothing_to_run(id, origin));
    }
    let untested = if only.is_none() { untested } else { Vec::new() };
    let text = match format {
        Listing::Pretty => page(&failed, passed, &untested),
        Listing::Json => {
            let failed = failed.iter().copied().map(shown).collect();
            output::json(&Ran { passed, failed, without_examples: untested })?
        }
    };
    output::print(&text)?;
    Ok(if failed.is_empty() { Exit::Ok } else { Exit::GateSaidNo })
}

/// The project's rules that have no examples.
fn untested(all: &[Listed]) -> Vec<&str> {
    let is_untested = |rule: &&Listed| rule.origin == Origin::Project && rule.info.examples.is_empty();
    all.iter().filter(is_untested).map(|rule| rule.info.id.as_ref()).collect()
}

fn nothing_to_run(id: &str, origin: Origin) -> Failure {
    let hint = match origin {
        Origin::Project => "add `examples` with `bad` and `good` to it; docs/RULES.md shows how",
        Origin::BuiltIn => {
            "only examples of rules that are data are run here; those of the others are tests of the program"
        }
    };
    Failure::new(format!("the rule `{id}` has no examples to run"), hint)
}

#[derive(serde::Serialize)]
struct Ran<'a> {
    passed: usize,
    failed: Vec<Failed<'a>>,
    /// Rules of the project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    without_examples: Vec<&'a str>,
}

#[derive(serde::Serialize)]
struct Failed<'a> {
    rule: &'a str,
    language: &'static str,
    text: &'a str,
    /// The lines that should be reported, and those that are.
    expected: &'a [u32],
    reported: &'a [u32],
}

fn shown(one: &FailedExample) -> Failed<'_> {
    let FailedExample { rule, language, text, expected, reported } = one;
    Failed { rule, language: language.as_str(), text, expected, reported }
}

fn page(failed: &[&FailedExample], passed: usize, untested: &[&str]) -> String {
    let mut text = String::new();
    for one in failed {
        text.push_str(&told(one));
    }
    if !untested.is_empty() {
        let _ = writeln!(text, "Without examples: {}", untested.join(", "));
    }
    let verb = |count: usize, one: &'static str, many: &'static str| if count == 1 { one } else { many };
    let _ = match failed.len() {
        0 => writeln!(text, "{} {}.", count(passed, "example"), verb(passed, "holds", "hold")),
        failed => writeln!(
            text,
            "{} {} not hold, {passed} {}.",
            count(failed, "example"),
            verb(failed, "does", "do"),
            verb(passed, "does", "do")
        ),
    };
    text
}

fn told(one: &FailedExample) -> String {
    let lines = |lines: &[u32]| match lines {
        [] => "nothing".to_owned(),
        [line] => format!("line {line}"),
        lines => format!("lines {}", lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    };
    let code: String = one.text.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "{} ({}): reports {}, and should report {}:\n{code}\n",
        one.rule,
        one.language.as_str(),
        lines(&one.reported),
        lines(&one.expected)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Language;

    #[test]
    fn examples_are_counted_as_people_do() {
        let one = FailedExample {
            rule: "a".into(),
            language: Language::Go,
            text: String::new(),
            expected: vec![],
            reported: vec![1],
        };
        let last =
            |failed: &[&FailedExample], passed| page(failed, passed, &[]).lines().last().unwrap().to_owned();
        assert_eq!(last(&[], 1), "1 example holds.");
        assert_eq!(last(&[], 2), "2 examples hold.");
        assert_eq!(last(&[&one], 0), "1 example does not hold, 0 do.");
        assert_eq!(last(&[&one, &one], 1), "2 examples do not hold, 1 does.");
        assert_eq!(page(&[], 1, &["b", "c"]), "Without examples: b, c\n1 example holds.\n");
    }

    #[test]
    fn a_failed_example_says_what_was_expected() {
        let one = FailedExample {
            rule: "no-print".into(),
            language: Language::Python,
            text: "a\nprint(a)\n".into(),
            expected: vec![2],
            reported: vec![],
        };
        let expected =
            "no-print (Python): reports nothing, and should report line 2:\n    a\n    print(a)\n\n";
        assert_eq!(told(&one), expected);
    }
}
