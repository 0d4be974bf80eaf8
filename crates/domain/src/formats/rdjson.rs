//! The Reviewdog Diagnostic Format, as one `DiagnosticResult`.

use serde_json::{Value, json};

use super::escape::{clean, clip, file_name};
use super::shown::{Shown, body, level, rule_id, stand_in};
use crate::change::RepoPath;
use crate::review::{Finding, Review, Trouble, Verdict};
use crate::words::Level;

const FIELD_LIMIT: usize = 4_000;

/// Renders every finding, and every trouble as an error of its own: the format knows no third verdict, and
/// an inconclusive review must not look like a clean one.
///
/// Reviewdog wants a file for everything, so what concerns the whole change is put at the first reviewed
/// file without a range. The path is empty only if the change has no file at all.
pub fn render(review: &Review, tool_version: &str) -> Value {
    let stand_in = stand_in(review);
    let troubles = review.troubles.iter().map(|trouble| trouble_diagnostic(trouble, stand_in));
    let findings = review.findings.iter().map(|finding| diagnostic(finding, review, stand_in));
    json!({
        "source": { "name": format!("countersign {tool_version}") },
        "severity": severity(overall(review)),
        "diagnostics": troubles.chain(findings).collect::<Vec<_>>(),
    })
}

fn overall(review: &Review) -> Level {
    match review.verdict() {
        Verdict::Fail | Verdict::Inconclusive => Level::Error,
        Verdict::Pass => review.findings.iter().map(level).max().unwrap_or(Level::Info),
    }
}

fn diagnostic(finding: &Finding, review: &Review, stand_in: Option<&RepoPath>) -> Value {
    let shown = Shown::of(finding, stand_in);
    let mut location = json!({ "path": shown.path.map(file_name).unwrap_or_default() });
    if let Some((start, end)) = shown.lines {
        // Without columns a range means whole lines, the last one included.
        location["range"] = json!({ "start": { "line": start }, "end": { "line": end } });
    }
    let mut diagnostic = json!({
        "message": body(finding, shown.remark.as_deref(), FIELD_LIMIT),
        "location": location,
        "severity": severity(level(finding)),
        "source": { "name": "countersign" },
        "code": { "value": rule_id(finding) },
    });
    if let Some(patch) = review.patches.get(&finding.fingerprint) {
        // Whole lines, as above; without a text they go.
        diagnostic["suggestions"] = json!([{
            "range": { "start": { "line": patch.start }, "end": { "line": patch.end() } },
            "text": patch.new.join("\n"),
        }]);
    }
    diagnostic
}

fn trouble_diagnostic(trouble: &Trouble, stand_in: Option<&RepoPath>) -> Value {
    json!({
        "message": format!("The review is inconclusive: {}", clip(&clean(&trouble.message), FIELD_LIMIT)),
        "location": { "path": stand_in.map(file_name).unwrap_or_default() },
        "severity": severity(Level::Error),
        "source": { "name": "countersign" },
        "code": { "value": format!("inconclusive/{}", clip(&clean(&trouble.kind), 100)) },
    })
}

fn severity(level: Level) -> &'static str {
    match level {
        Level::Error => "ERROR",
        Level::Warning => "WARNING",
        Level::Info => "INFO",
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::review::Patch;
    use serde::Deserialize;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct DiagnosticResult {
        diagnostics: Vec<Diagnostic>,
        source: Source,
        severity: Severity,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Diagnostic {
        message: String,
        location: Location,
        severity: Severity,
        source: Source,
        code: Code,
        #[serde(default)]
        suggestions: Vec<Suggestion>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Suggestion {
        range: Range,
        text: String,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Location {
        path: String,
        range: Option<Range>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Range {
        start: Position,
        end: Option<Position>,
    }

    /// The format counts in `int32`.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Position {
        line: i32,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Source {
        name: String,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Code {
        value: String,
    }

    #[derive(Deserialize, PartialEq, Debug)]
    #[serde(rename_all = "UPPERCASE")]
    enum Severity {
        Error,
        Warning,
        Info,
    }

    fn read(review: &Review) -> DiagnosticResult {
        serde_json::from_value(render(review, "1.2.3")).unwrap()
    }

    #[test]
    fn looks_as_reviewdog_reads_it() {
        let pretty = |review: &Review| serde_json::to_string_pretty(&render(review, "1.2.3")).unwrap();
        insta::assert_snapshot!("rdjson_fail", pretty(&fixture::review()));
        insta::assert_snapshot!("rdjson_clean", pretty(&fixture::clean_review()));
        insta::assert_snapshot!("rdjson_inconclusive", pretty(&fixture::inconclusive_review()));
    }

    #[test]
    fn says_only_what_the_published_format_knows() {
        let result = read(&fixture::review());
        assert_eq!((result.source.name.as_str(), result.severity), ("countersign 1.2.3", Severity::Error));
        let first = &result.diagnostics[0];
        assert_eq!((first.code.value.as_str(), first.source.name.as_str()), ("sql-injection", "countersign"));
        let range = first.location.range.as_ref().unwrap();
        assert_eq!((range.start.line, range.end.as_ref().unwrap().line), (45, 46));
    }

    #[test]
    fn a_correction_is_a_suggestion_for_its_lines() {
        let mut review = fixture::review();
        let patch = Patch {
            path: "src/api/auth.ts".into(),
            start: 45,
            old: vec!["a".into(), "b".into()],
            new: vec!["c".into()],
        };
        review.patches.insert(review.findings[0].fingerprint.clone(), patch);
        let result = read(&review);
        let [one] = result.diagnostics[0].suggestions.as_slice() else { panic!() };
        assert_eq!((one.range.start.line, one.range.end.as_ref().unwrap().line), (45, 46));
        assert_eq!(one.text, "c");
        assert!(result.diagnostics[1].suggestions.is_empty());
    }

    #[test]
    fn what_concerns_the_whole_change_is_at_the_first_file_and_says_so() {
        let result = read(&fixture::review());
        let last = result.diagnostics.last().unwrap();
        assert_eq!(last.location.path, "src/api/auth.ts");
        assert!(last.location.range.is_none() && last.message.contains("the change as a whole"));
        assert_eq!(last.severity, Severity::Info);
    }

    #[test]
    fn an_inconclusive_review_is_an_error_even_without_files() {
        let mut review = fixture::inconclusive_review();
        review.coverage.files.clear();
        let result = read(&review);
        assert_eq!(result.diagnostics[0].severity, Severity::Error);
        assert_eq!(result.diagnostics[0].code.value, "inconclusive/unseen");
        assert_eq!(result.diagnostics[0].location.path, "");
    }

    #[test]
    fn a_clean_pass_is_information() {
        assert_eq!(read(&fixture::clean_review()).severity, Severity::Info);
    }
}
