use std::fmt::Write as _;

use rules::{FailedExample, ProjectRules};

use crate::failure::Failure;
use crate::output::{self, Exit, Listing};

/// Runs all examples, or those of one rule; whether one of them failed is the exit code.
pub(super) fn run(project: &ProjectRules, only: Option<&str>, format: Listing) -> Result<Exit, Failure> {
    let (ours, own) = (rules::test_built_in(only), project.test(only));
    let failed: Vec<&FailedExample> = ours.failed.iter().chain(&own.failed).collect();
    let passed = ours.passed + own.passed;
    if let Some(id) = only.filter(|_| passed == 0 && failed.is_empty()) {
        let hint =
            "only examples of rules that are data are run here; those of the others are tests of the program";
        return Err(Failure::new(format!("the rule `{id}` has no examples to run"), hint));
    }
    let text = match format {
        Listing::Pretty => page(&failed, passed),
        Listing::Json => output::json(&Ran { passed, failed: failed.iter().copied().map(shown).collect() })?,
    };
    output::print(&text)?;
    Ok(if failed.is_empty() { Exit::Ok } else { Exit::GateSaidNo })
}

#[derive(serde::Serialize)]
struct Ran<'a> {
    passed: usize,
    failed: Vec<Failed<'a>>,
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

fn page(failed: &[&FailedExample], passed: usize) -> String {
    let mut text = String::new();
    for one in failed {
        text.push_str(&told(one));
    }
    let _ = match failed.len() {
        0 => writeln!(text, "{passed} examples hold."),
        count => writeln!(text, "{count} examples do not hold, {passed} do."),
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
