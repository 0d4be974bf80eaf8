//! Reviewers that are not to be believed, or not to be waited for.

use serde_json::{Value, json};

use super::stage::*;

/// A report in the form of the specification, with every score at `score`.
fn report(status: &str, score: u32, blocking: &Value, notes: &Value) -> String {
    let scored = |weight: &str| json!({ "score": score, "weight": weight });
    let report = json!({
        "ticket_id": "a",
        "reviewed_at": "2026-01-01T00:00:00Z",
        "reviewer": "code-review-agent",
        "status": status,
        "overall_score": 95,
        "revision_count": 0,
        "dimension_scores": {
            "requirement_adherence": scored("critical"),
            "coordination_compliance": scored("critical"),
            "code_quality": scored("important"),
            "pattern_consistency": scored("important"),
            "test_quality": scored("important"),
            "security_performance": scored("moderate"),
        },
        "findings": [],
        "blocking_issues": blocking,
        "revision_notes": notes,
        "approved": status == "pass",
        "pass_criteria_met": {
            "all_critical_dimensions_pass": true,
            "no_blocking_issues": true,
            "overall_score_above_threshold": true,
        },
    });
    format!("cat > /dev/null\ncat <<'END'\n{report}\nEND\n")
}

#[test]
fn a_report_whose_verdict_does_not_follow_from_its_scores_is_corrected_and_marked() {
    let reviewer = report("pass", 60, &json!([]), &Value::Null);
    let epic = "limits: {max_revisions: 0}\n";
    let stage = Setup { reviewer: &reviewer, epic, ..Setup::default() }.stage();
    let outcome = stage.run(&["--format", "json"]);
    assert_code(&outcome, 1);
    let said: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let attempt = &said["tickets"][0]["attempts"][0];
    assert_eq!(attempt["outcome"]["kind"], "failed");
    assert!(!attempt["corrected"].as_array().unwrap().is_empty(), "{attempt}");
    let ticket = stage.ticket("a");
    assert_eq!(ticket["current_review_report"]["status"], "fail");
    assert_eq!(ticket["current_review_report"]["approved"], false);
    assert_eq!(ticket["review_history"][0]["overall_score"], 60);
}

#[test]
fn a_blocking_issue_blocks_whatever_the_status_says() {
    let issue = json!([{
        "dimension": "coordination_compliance",
        "message": "authenticateUser has arity 3 but epic specifies arity 2",
        "required_action": "Remove the third parameter",
    }]);
    let reviewer = report("pass", 95, &issue, &Value::Null);
    let epic = "limits: {max_revisions: 0}\n";
    let stage = Setup { reviewer: &reviewer, epic, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 1);
    let blocking = stage.ticket("a")["current_review_report"]["blocking_issues"].clone();
    assert_eq!(blocking[0]["required_action"], "Remove the third parameter");
}

#[test]
fn a_good_report_in_the_form_of_the_specification_passes() {
    let reviewer = report("pass", 95, &json!([]), &Value::Null);
    let stage = Setup { reviewer: &reviewer, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 0);
    assert_eq!(stage.ticket("a")["review_history"][0]["overall_score"], 95);
}

#[test]
fn a_failure_without_a_reason_is_asked_about_once_and_then_proves_nothing() {
    let reviewer = "cat > /dev/null\necho review >> '@outside@/calls'\n\
        echo '{\"summary\":\"s\",\"findings\":[],\"dimension_scores\":null,\"verdict\":\"fail\"}'";
    let epic = "limits: {inconclusive_retries: 0}\n";
    let stage = Setup { reviewer, epic, policy: "sandbox: off\n", ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 3);
    let closing = "0 of 1 tickets. The reviews of a prove nothing. Try a again with: countersign epic resume login --retry a";
    assert!(outcome.stdout.contains(closing), "{}", outcome.stdout);
    assert_eq!(stage.calls("review"), 2, "once, and once more");
    assert!(outcome.stderr.contains("names nothing that blocks"), "{}", outcome.stderr);
    let ticket = stage.ticket("a");
    assert!(ticket["failure_reason"].as_str().unwrap().starts_with("Review inconclusive"), "{ticket}");
    assert_eq!((&ticket["revision_count"], &ticket["review_history"]), (&0.into(), &json!([])));
}

#[test]
fn a_reviewer_that_takes_too_long_is_cut_off_and_proves_nothing() {
    let reviewer = "cat > /dev/null\nsleep 600";
    let epic = "limits: {inconclusive_retries: 0, review_seconds: 1}\n";
    let stage = Setup { reviewer, epic, ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 3);
    assert_eq!(stage.status("a"), "failed");
    let report = std::fs::read_to_string(stage.repo.path().join("epics/login/epic-report.md")).unwrap();
    assert!(report.contains("one review proved nothing") && report.contains("not known"), "{report}");
    assert!(!report.contains("Must fix (") && !report.contains("no model was asked"), "{report}");
    stage.assert_nothing_left();
}

#[test]
fn a_review_that_proves_nothing_is_made_again_and_costs_no_revision() {
    let reviewer =
        format!("if [ ! -e '@outside@/once' ]; then touch '@outside@/once'; exit 3; fi\n{REVIEWER}");
    let stage = Setup { reviewer: &reviewer, policy: "sandbox: off\n", ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 0);
    let ticket = stage.ticket("a");
    assert_eq!((&ticket["revision_count"], &ticket["status"]), (&0.into(), &"completed".into()));
    assert_eq!(ticket["review_history"].as_array().unwrap().len(), 1);
}

#[test]
fn a_reviewer_is_given_the_context_of_the_specification_and_nothing_to_write_to() {
    let reviewer = "prompt=$(cat)\nverdict=pass\n\
        for words in TicketReviewContext '\"ticket_branch\": \"ticket/a\"' '\"test_suite_status\": \"not_run\"' \
            '\"ticket_path\": \"epics/login/a.md\"' '\"epic_path\": \"epics/login/epic.yaml\"' \
            '\"files_modified\"' '\"revision_count\": 0' '\"previous_review_feedback\": null'; do\n\
        grep -qF -- \"$words\" <<< \"$prompt\" || { echo \"no $words\" >&2; exit 3; }; done\n\
        if (echo x > a.txt) 2> /dev/null; then echo 'it can write' >&2; exit 3; fi\n\
        echo '{\"summary\":\"s\",\"findings\":[],\"dimension_scores\":null,\"verdict\":\"pass\"}'";
    let epic = "limits: {inconclusive_retries: 0}\n";
    let stage = Setup { reviewer, epic, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 0);
}

#[test]
fn what_a_reviewer_wants_in_its_own_words_reaches_the_builder_and_the_next_reviewer() {
    let words = "Rename frobnicate to log_in\u{1b}[2J";
    let failing = report("fail", 60, &json!([]), &json!(words));
    let passing = report("pass", 95, &json!([]), &Value::Null).replace(
        "cat > /dev/null",
        "prompt=$(cat); [ \"${prompt#*Rename frobnicate to log_in}\" != \"$prompt\" ] || exit 3",
    );
    let reviewer =
        format!("if [ ! -e '@outside@/once' ]; then touch '@outside@/once'\n{failing}else\n{passing}fi\n");
    let builder = "echo fine >> \"$id.txt\"\n\
        if [ -e '@outside@/once' ]; then grep -A1 'REQUIRED CHANGES:' <<< \"$prompt\" | grep -q 'Rename frobnicate' || exit 3; fi";
    let epic = "limits: {inconclusive_retries: 0, max_retries: 0}\n";
    let stage =
        Setup { builder, reviewer: &reviewer, policy: "sandbox: off\n", epic, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 0);
    let notes = stage.ticket("a")["review_history"][0]["revision_notes"].as_str().unwrap().to_owned();
    assert!(notes.starts_with("Rename frobnicate to log_in") && !notes.contains('\u{1b}'), "{notes}");
}

#[test]
fn a_report_of_another_ticket_proves_nothing() {
    let reviewer =
        report("pass", 95, &json!([]), &Value::Null).replace("\"ticket_id\":\"a\"", "\"ticket_id\":\"b\"");
    let epic = "limits: {inconclusive_retries: 0}\n";
    let stage = Setup { reviewer: &reviewer, epic, ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 3);
    assert!(outcome.stderr.contains("the report is of another ticket, `b`"), "{}", outcome.stderr);
}

#[test]
fn a_failure_by_notes_alone_stands_whatever_the_scores() {
    let reviewer = report("fail", 95, &json!([]), &json!("Rename frobnicate to log_in"));
    let epic = "limits: {max_revisions: 0}\n";
    let stage = Setup { reviewer: &reviewer, epic, ..Setup::default() }.stage();
    let outcome = stage.run(&["--format", "json"]);
    assert_code(&outcome, 1);
    let ticket = stage.ticket("a");
    let (written, entry) = (&ticket["current_review_report"], &ticket["review_history"][0]);
    assert_eq!((&written["status"], &written["approved"]), (&"fail".into(), &false.into()));
    assert_eq!(written["blocking_issues"][0]["required_action"], "Rename frobnicate to log_in");
    assert_eq!(written["pass_criteria_met"]["no_blocking_issues"], false);
    assert_eq!(written["revision_notes"], "Rename frobnicate to log_in");
    assert!(entry["corrected"].as_str().unwrap().contains("revision notes ask for blocks"), "{entry}");
    assert!(stage.report().contains("Required: Rename frobnicate"), "{}", stage.report());
    stage.assert_in_agreement();
}

#[test]
fn a_failure_that_says_not_what_to_do_is_asked_about_once_whatever_its_scores() {
    let reviewer = report("fail", 60, &json!([]), &Value::Null)
        .replace("cat > /dev/null", "cat >> '@outside@/prompts'; echo review >> '@outside@/calls'");
    let epic = "limits: {inconclusive_retries: 0}\n";
    let stage = Setup { reviewer: &reviewer, epic, policy: "sandbox: off\n", ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 3);
    assert_eq!(stage.calls("review"), 2, "once, and once more");
    let wanted = "/revision_notes: it is empty and so is /blocking_issues, expected is what has to be done";
    assert!(outcome.stderr.contains(wanted), "{}", outcome.stderr);
    assert!(stage.report().contains("expected is what has to be done"), "{}", stage.report());
    let prompts = std::fs::read_to_string(stage.repo.outside("prompts")).unwrap();
    assert_eq!(prompts.matches(wanted).count(), 1, "told to whoever is asked again");
    let schema = "\"additionalProperties\":false,\"properties\":{\"summary\"";
    let told = prompts.matches(schema).count() + prompts.matches("valid under this schema").count();
    assert!((2..=4).contains(&told), "once for each question: {told}");
    assert!(prompts.contains("# The work as it was handed in\n"), "{prompts}");
    assert!(!prompts.contains("# Architecture and standards"), "{prompts}");
}

#[test]
fn an_overall_score_that_does_not_follow_is_corrected_and_marked_wherever_it_is_told() {
    let reviewer = report("pass", 93, &json!([]), &Value::Null);
    let stage = Setup { reviewer: &reviewer, ..Setup::default() }.stage();
    let outcome = stage.run(&["--format", "json"]);
    assert_code(&outcome, 0);
    let mark = "the overall score is 93 by the report's own dimension scores, the report said 95";
    let entry = stage.ticket("a")["review_history"][0].clone();
    assert_eq!((&entry["overall_score"], &entry["corrected"]), (&93.into(), &mark.into()));
    assert!(outcome.stdout.contains(mark) && outcome.stderr.contains(mark), "{}", outcome.stderr);
    assert!(stage.report().contains("The report was corrected"), "{}", stage.report());
    let status = crate::program::run(stage.command(&["status", "login"])).stdout;
    assert!(status.contains(mark), "{status}");
    stage.assert_in_agreement();
}

#[test]
fn a_failure_by_its_scores_alone_shows_them() {
    let reviewer = report("fail", 60, &json!([]), &json!("More tests"));
    let epic = "limits: {max_revisions: 0}\n";
    let stage = Setup { reviewer: &reviewer, epic, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 1);
    let report = stage.report();
    assert!(report.contains("Scores: `requirement_adherence` 60, "), "{report}");
    assert!(report.contains("- `requirement_adherence`: 60, required: at least 90"), "{report}");
}
