use std::collections::BTreeMap;

use domain::change::Target;
use domain::gate::Criterion;
use domain::review::{Finding, POLICY_RULE, Review, SkipReason, Trouble, Verdict};

use super::{Look, Run, style, text};

/// `FAIL: 2 must-fix findings, overall score 71 of 100.`
pub(crate) fn verdict_line(review: &Review) -> String {
    let score = review.decision.overall_score;
    let blocking = review.blocking().count();
    match review.verdict() {
        Verdict::Pass => format!("PASS: nothing must be fixed, overall score {score} of 100."),
        Verdict::Fail if blocking > 0 => {
            format!("FAIL: {}, overall score {score} of 100.", text::count(blocking, "must-fix finding"))
        }
        Verdict::Fail => format!("FAIL: the scores are too low, overall {score} of 100."),
        Verdict::Inconclusive => "INCONCLUSIVE: this review proves nothing, neither good nor bad.".to_owned(),
    }
}

pub(super) fn render(run: &Run<'_>, look: &Look, out: &mut String) {
    let tint = style::verdict(run.review.verdict());
    out.push_str(&format!("{tint}{}{tint:#}\n", verdict_line(run.review)));
    for criterion in run.review.decision.unmet() {
        text::paragraph(&reason(criterion), "  - ", "    ", look.width, out);
    }
    if let Some(corrected) = &run.review.decision.corrected {
        text::paragraph(corrected, "  - ", "    ", look.width, out);
    }
    text::paragraph(&next_step(run), "Next: ", "      ", look.width, out);
    out.push('\n');
    for line in footer(run) {
        let dim = style::DIM;
        for line in text::wrap(&line, look.width, "", "  ") {
            out.push_str(&format!("{dim}{line}{dim:#}\n"));
        }
    }
}

fn reason(criterion: &Criterion) -> String {
    match criterion.name.as_str() {
        "conclusive" => criterion.actual.clone(),
        "blocking_issues" => format!("blocking issues: {}, where none is allowed", criterion.actual),
        name => {
            format!("{name} is {}, needs {}", criterion.actual, criterion.required.trim_start_matches(">= "))
        }
    }
}

fn next_step(run: &Run<'_>) -> String {
    let again = match (run.request, &run.review.subject.scope.head) {
        (Some(url), _) => {
            let publish = if run.review.posting.is_some() { " --publish" } else { "" };
            format!("push the fix and run `countersign review --pr {}{publish}` again", super::safe(url))
        }
        (None, Target::Commit(_)) => "commit and run `countersign review` again".to_owned(),
        (None, Target::Index) => "stage the fix and run `countersign review --staged` again".to_owned(),
        (None, Target::Worktree) => "run `countersign review --worktree` again".to_owned(),
    };
    match run.review.verdict() {
        Verdict::Pass if run.change.files.is_empty() => {
            "nothing changed, so there was nothing to review.".to_owned()
        }
        Verdict::Pass if run.review.coverage.reviewed_files().next().is_none() => {
            "every file was skipped, which the policy allows; see below why.".to_owned()
        }
        Verdict::Pass if run.review.findings.is_empty() => "nothing to do.".to_owned(),
        Verdict::Pass => "nothing has to be done; the advice above is yours to take.".to_owned(),
        Verdict::Fail => format!("fix what is marked `must fix`, {again}.{}", way_out(run.review)),
        Verdict::Inconclusive => run
            .review
            .troubles
            .iter()
            .find_map(mending)
            .unwrap_or("run the review again; it cost no attempt.")
            .to_owned(),
    }
}

/// What has to be done before it is worth trying again, where it would only fail in the same way.
fn mending(trouble: &Trouble) -> Option<&'static str> {
    match trouble.kind.as_str() {
        "standing" => Some(
            "have the kind of reviewer that found them review this commit, too (`--reviewer`), and publish that.",
        ),
        "skipped" => Some(
            "look at the files yourself; `gate.allow_skipped` in countersign.yaml at the base commit says which kinds \
             may pass unreviewed.",
        ),
        "unmerged" => Some("resolve the conflicts, `git add` the files, then review again."),
        "unauthorised" => Some(
            "set a key that the provider accepts for this model, or name another model; `countersign doctor` shows \
             which keys are set.",
        ),
        "over_budget" | "out_of_budget" => Some(
            "raise `model.budget` in countersign.yaml, or wait until the budget of the day is a new one; then review again.",
        ),
        "not_configured" | "not_installed" => {
            Some("set up what is missing, which `countersign doctor` shows, then review again.")
        }
        "failed" if trouble.message.contains("status 404") => Some(
            "check the name of the model and the address of its provider: it says that there is no such thing.",
        ),
        "failed" if trouble.message.contains("insufficient_quota") => {
            Some("the account with the provider is used up: pay in, or name another model.")
        }
        _ => None,
    }
}

/// How to disagree, where disagreeing in the code is possible.
fn way_out(review: &Review) -> String {
    let acceptable =
        |finding: &&Finding| finding.line().is_some() && !finding.is_secret() && finding.rule != POLICY_RULE;
    match review.blocking().find(acceptable) {
        Some(finding) => {
            format!(
                " Where the gate is wrong, say why in the code: `countersign:ignore {} -- reason`.",
                finding.rule
            )
        }
        None => String::new(),
    }
}

fn footer(run: &Run<'_>) -> Vec<String> {
    let coverage = &run.review.coverage;
    let (seen, total) = coverage.counts();
    let mut lines = vec![format!(
        "{} of {} in {} reviewed by {} under {}, in {}.",
        text::grouped(seen),
        text::count(total, "hunk"),
        text::count(coverage.reviewed_files().count(), "file"),
        run.review.reviewer,
        run.review.policy,
        duration(run.elapsed)
    )];
    lines.extend(run.review.asked().map(|asked| format!("{}.", text::printable(asked.as_bytes()))));
    let mut skipped: BTreeMap<SkipReason, Vec<String>> = BTreeMap::new();
    for (path, reason) in coverage.skipped_files() {
        skipped.entry(reason).or_default().push(path.to_string());
    }
    for (reason, paths) in skipped {
        let more = paths.len().saturating_sub(3);
        let more = if more > 0 { format!(" and {} more", text::grouped(more)) } else { String::new() };
        let named = paths.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
        lines.push(format!("Skipped as {}: {named}{more}.", reason.as_str()));
    }
    for suppressed in &run.review.suppressed {
        let reason = text::printable(suppressed.reason.as_bytes());
        lines.push(format!(
            "Accepted in {}: {}, because: {reason}",
            suppressed.finding.location(),
            suppressed.finding.rule
        ));
    }
    lines
}

fn duration(elapsed: std::time::Duration) -> String {
    let milliseconds = elapsed.as_millis();
    if milliseconds < 1000 { format!("{milliseconds} ms") } else { format!("{:.1} s", elapsed.as_secs_f64()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trying_again_is_no_advice_where_it_would_fail_in_the_same_way() {
        let advice = |kind: &str, message: &str| {
            mending(&Trouble { kind: kind.to_owned(), message: message.to_owned() }).unwrap_or("again")
        };
        assert!(advice("unauthorised", "a:b refused our credentials: status 401").contains("set a key"));
        assert!(advice("over_budget", "the day's budget is used up").contains("`model.budget`"));
        assert!(advice("failed", "a:b failed: status 404: no model").contains("name of the model"));
        assert!(advice("not_configured", "qa: claude is not installed").contains("countersign doctor"));
        assert!(advice("skipped", "every file was skipped").contains("`gate.allow_skipped`"));
        assert_eq!(advice("failed", "a:b failed: status 500"), "again");
        assert_eq!(advice("rate_limited", ""), "again");
    }
}
