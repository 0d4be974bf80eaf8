//! GitHub workflow commands: lines on stdout that a runner turns into annotations.

use super::escape::{clip, file_name, one_line};
use super::shown::{Shown, body, level, reason, rule_id, worst_first};
use crate::review::{Finding, Review, Verdict};
use crate::words::Level;

/// A runner cuts a message at 4,096 characters; three fields of this length and their labels stay below.
const FIELD_LIMIT: usize = 1_200;

/// GitHub shows ten of each level: these must not crowd out findings.
const MOST_REMARKS: usize = 4;

/// One command per finding, worst first because GitHub shows only ten of each level per step, then what there is to
/// say about the review, and one with the verdict at the end. Each is exactly one line, whatever the findings say.
pub fn render(review: &Review) -> String {
    let findings = worst_first(review).into_iter().map(annotation);
    let remarks = review.remarks.iter().take(MOST_REMARKS).map(|remark| {
        command(Level::Info, &[("title", "Countersign".to_owned())], &clip(&one_line(remark), FIELD_LIMIT))
    });
    findings.chain(remarks).chain([verdict(review)]).map(|command| command + "\n").collect()
}

fn annotation(finding: &Finding) -> String {
    let shown = Shown::of(finding, None);
    let mut properties = Vec::new();
    if let Some(path) = shown.path {
        properties.push(("file", file_name(path)));
    }
    if let Some((start, end)) = shown.lines {
        properties.push(("line", start.to_string()));
        properties.push(("endLine", end.to_string()));
    }
    properties.push(("title", format!("{} {}", finding.severity, rule_id(finding))));
    command(level(finding), &properties, &body(finding, shown.remark.as_deref(), FIELD_LIMIT))
}

fn verdict(review: &Review) -> String {
    let level = match review.verdict() {
        Verdict::Pass => Level::Info,
        Verdict::Fail | Verdict::Inconclusive => Level::Error,
    };
    let title =
        format!("Countersign: {}, score {}", review.verdict().as_str(), review.decision.overall_score);
    command(level, &[("title", title)], &clip(&one_line(&reason(review)), 3 * FIELD_LIMIT))
}

fn command(level: Level, properties: &[(&str, String)], message: &str) -> String {
    let name = match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "notice",
    };
    let properties: Vec<_> =
        properties.iter().map(|(name, value)| format!("{name}={}", escape_property(value))).collect();
    format!("::{name} {}::{}", properties.join(","), escape_data(message))
}

/// What the runner undoes in a message: the percent sign first, so that nothing is undone twice.
fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// What the runner undoes in a property, where colon and comma would end it.
fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::escape::hostile_text;
    use super::super::fixture;
    use super::*;
    use crate::review::Place;
    use proptest::prelude::*;

    #[test]
    fn looks_as_a_runner_reads_it() {
        insta::assert_snapshot!("github_fail", render(&fixture::review()));
        insta::assert_snapshot!("github_clean", render(&fixture::clean_review()));
        insta::assert_snapshot!("github_inconclusive", render(&fixture::inconclusive_review()));
    }

    #[test]
    fn what_is_said_about_the_review_itself_stands_before_the_verdict() {
        let mut review = fixture::clean_review();
        review.remarks = vec!["Linter ruff was not run".into()];
        assert!(render(&review).starts_with("::notice title=Countersign::Linter ruff was not run\n"));
    }

    #[test]
    fn escapes_as_the_runner_unescapes() {
        assert_eq!(escape_data("100%\r\na:b,c"), "100%25%0D%0Aa:b,c");
        assert_eq!(escape_property("100%\r\na:b,c"), "100%25%0D%0Aa%3Ab%2Cc");
    }

    #[test]
    fn blocking_findings_come_first() {
        let mut review = fixture::review();
        review.findings.reverse();
        let rendered = render(&review);
        let names: Vec<_> = rendered.lines().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(names, ["::error", "::error", "::warning", "::notice", "::error"]);
    }

    proptest! {
        #[test]
        fn no_text_adds_a_command(
            text in hostile_text(),
            path in proptest::collection::vec(1u8.., 1..30),
        ) {
            let mut review = fixture::review();
            for finding in &mut review.findings {
                (finding.rule, finding.message) = (text.clone(), text.clone());
                (finding.impact, finding.suggestion) = (text.clone(), text.clone());
            }
            let path = crate::change::RepoPath::from_bytes(path);
            review.findings[2].place = Place::File { path };
            let rendered = render(&review);
            let lines: Vec<_> = rendered.split(['\n', '\r']).collect();
            prop_assert_eq!(lines.len(), review.findings.len() + 2, "one each, the verdict, the end");
            for line in &lines[..lines.len() - 1] {
                let (head, message) = line[2..].split_once("::").unwrap();
                let (name, properties) = head.split_once(' ').unwrap();
                prop_assert!(line.starts_with("::") && !message.is_empty());
                prop_assert!(["error", "warning", "notice"].contains(&name));
                for property in properties.split(',') {
                    let name = property.split('=').next().unwrap();
                    prop_assert!(["file", "line", "endLine", "title"].contains(&name), "{}", property);
                }
            }
        }
    }
}
