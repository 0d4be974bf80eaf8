use std::fmt::Write as _;

use rules::{FailedExample, ProjectRules};

use crate::failure::Failure;
use crate::output::{self, Exit};

/// Runs all examples; whether one of them failed is the exit code.
pub(super) fn run(project: &ProjectRules) -> Result<Exit, Failure> {
    let (ours, own) = (rules::test_built_in(), project.test());
    let failed: Vec<&FailedExample> = ours.failed.iter().chain(&own.failed).collect();
    let passed = ours.passed + own.passed;
    let mut text = String::new();
    for one in &failed {
        text.push_str(&told(one));
    }
    let _ = match failed.len() {
        0 => writeln!(text, "{passed} examples hold."),
        count => writeln!(text, "{count} examples do not hold, {passed} do."),
    };
    output::print(&text)?;
    Ok(if failed.is_empty() { Exit::Ok } else { Exit::GateSaidNo })
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
