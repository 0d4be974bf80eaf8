//! `--reviewer model`, against a server that speaks the providers' formats.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use testkit::Repo;
use testkit::model_server::{ModelServer, Reply};

use crate::program::{Outcome, clean_branch, command, countersign, run};

/// A change to which the built-in rules have no objection.
pub(crate) fn repo() -> Repo {
    let repo = clean_branch();
    repo.write("src/total.py", "def total(prices):\n    return sum(prices) / len(prices)\n");
    repo.write("tests/test_total.py", "def test_total():\n    assert total([2]) == 2\n");
    repo.commit("Add it up");
    repo
}

pub(crate) fn report(findings: &[Value]) -> Value {
    let verdict = if findings.is_empty() { "pass" } else { "fail" };
    json!({"summary": "s", "findings": findings, "dimension_scores": null, "verdict": verdict})
}

pub(crate) fn finding() -> Value {
    json!({
        "file": "src/total.py", "line": 2, "end_line": null, "quote": "    return sum(prices) / len(prices)",
        "severity": "HIGH", "category": "correctness", "dimension": "requirement_adherence",
        "confidence": "high", "message": "This is the mean, not the total", "impact": "Customers pay too little",
        "suggestion": "Return the sum",
    })
}

pub(crate) fn review_command(
    repo: &Repo,
    server: &ModelServer,
    provider: &str,
    arguments: &[&str],
) -> Command {
    let mut command = command(repo.path());
    command.args(["review", "--reviewer", "model"]).args(arguments);
    command.env("CODE_REVIEW_LLM_MODEL_PRIORITY", format!("{provider}:scripted"));
    for provider in ["ANTHROPIC", "OPENAI"] {
        command.env(format!("{provider}_API_KEY"), ModelServer::KEY);
        command.env(format!("{provider}_BASE_URL"), server.url());
    }
    command.env("XDG_CACHE_HOME", repo.outside("cache")).env("XDG_STATE_HOME", repo.outside("state"));
    command
}

fn review(repo: &Repo, server: &ModelServer, provider: &str, arguments: &[&str]) -> Outcome {
    let outcome = run(review_command(repo, server, provider, arguments));
    assert!(!outcome.stdout.contains(ModelServer::KEY) && !outcome.stderr.contains(ModelServer::KEY));
    outcome
}

#[test]
fn what_a_model_finds_is_anchored_and_fails_the_gate() {
    for provider in ["anthropic", "openai"] {
        let repo = repo();
        let before = repo.snapshot();
        let server = ModelServer::start(Reply::json(&report(&[finding()])).costing(12_345, 678));
        let outcome = review(&repo, &server, provider, &[]);
        assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
        let words = outcome.words();
        for expected in [
            "This is the mean, not the total --> src/total.py:2",
            &format!("reviewed by {provider}:scripted under"),
            &format!("Asked {provider}:scripted: 1 call, 12,345 tokens in, 678 out."),
        ] {
            assert!(words.contains(expected), "{expected}: {}", outcome.stdout);
        }
        assert_eq!(before, repo.snapshot());
        assert_eq!(server.refusals(), [""; 0]);
    }
}

#[test]
fn the_cost_is_in_the_report_for_programs_and_in_markdown() {
    let (repo, server) = (repo(), ModelServer::start(Reply::json(&report(&[])).costing(1_000_000, 0)));
    let priced = |format: &str| {
        let mut command = review_command(&repo, &server, "anthropic", &["--format", format]);
        command.env(
            "COUNTERSIGN_MODEL_PRICES",
            r#"{"anthropic:scripted": {"input_cents": 5, "output_cents": 0}}"#,
        );
        command.env("COUNTERSIGN_MODEL_CACHE", "false");
        run(command)
    };
    let report: Value = serde_json::from_str(&priced("json").stdout).unwrap();
    assert_eq!(report["countersign"]["usage"]["cost_micro_usd"], 50_000);
    assert_eq!(report["countersign"]["reviewer"], "anthropic:scripted");
    let markdown = priced("markdown").stdout;
    assert!(markdown.contains("1 call, 1,000,000 tokens in, 0 out"), "{markdown}");
}

#[test]
fn what_the_rules_prove_stands_whatever_the_model_says() {
    let repo = repo();
    repo.write("src/total.py", "def total(prices):\n    breakpoint()\n    return sum(prices)\n");
    repo.commit("Stop");
    let server = ModelServer::start(Reply::json(&report(&[])));
    let outcome = review(&repo, &server, "anthropic", &[]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stdout);
    assert!(server.questions()[0].text().contains("debugger-stop"), "{}", server.questions()[0].text());
}

#[test]
fn a_server_that_fails_makes_the_review_inconclusive() {
    let (repo, server) = (repo(), ModelServer::start(Reply::server_error()));
    let mut command = review_command(&repo, &server, "anthropic", &[]);
    command.env("COUNTERSIGN_MODEL_TIMEOUT", "2");
    let outcome = run(command);
    assert_eq!(outcome.code, Some(3), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("INCONCLUSIVE"), "{}", outcome.stdout);
}

#[test]
fn the_identical_review_is_reused_and_says_so() {
    let (repo, server) = (repo(), ModelServer::start(Reply::json(&report(&[finding()]))));
    assert_eq!(review(&repo, &server, "anthropic", &[]).code, Some(1));
    let asked = server.requests().len();
    let again = review(&repo, &server, "anthropic", &[]);
    assert_eq!(again.code, Some(1), "{}", again.stdout);
    assert!(
        again.words().contains("exactly this was answered before, and those answers are used again"),
        "{}",
        again.stdout
    );
    assert_eq!(server.requests().len(), asked);
    assert!(!files_below(&repo.outside("cache")).is_empty());
    for file in files_below(&repo.outside("cache")).iter().chain(&files_below(&repo.outside("state"))) {
        assert!(!std::fs::read_to_string(file).unwrap().contains(ModelServer::KEY), "{}", file.display());
    }
}

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn nothing_is_asked_beyond_the_budget() {
    let (repo, server) = (repo(), ModelServer::start(Reply::json(&report(&[]))));
    let mut command = review_command(&repo, &server, "anthropic", &[]);
    command.env("COUNTERSIGN_MODEL_BUDGET_TOKENS_PER_REVIEW", "10");
    let outcome = run(command);
    assert_eq!(outcome.code, Some(3), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.words().contains("this review"), "{}", outcome.stdout);
    assert_eq!(server.questions().len(), 0);
}

#[test]
fn documents_are_told_to_the_model() {
    let (repo, server) = (repo(), ModelServer::start(Reply::json(&report(&[]))));
    std::fs::write(repo.outside("style.md"), "Totals are called sums here.\n").unwrap();
    let style = repo.outside("style.md").display().to_string();
    let outcome = review(&repo, &server, "openai", &["--context", &style, "--mode", "linear"]);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
    assert!(server.questions()[0].text().contains("Totals are called sums here."));
}

#[test]
fn a_model_that_is_not_configured_is_a_matter_of_configuration() {
    let outcome = countersign(repo().path(), &["review", "--reviewer", "model"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("CODE_REVIEW_LLM_MODEL_PRIORITY is not set"), "{}", outcome.stderr);
}

#[test]
fn an_unknown_reviewer_and_a_mode_without_a_model_are_refused() {
    let repo = repo();
    let unknown = countersign(repo.path(), &["review", "--reviewer", "rule"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("did you mean `rules`?"), "{}", unknown.stderr);
    let agent = countersign(repo.path(), &["review", "--reviewer", "qa"]);
    assert_eq!((agent.code, agent.stdout.as_str()), (Some(2), ""));
    assert!(agent.stderr.contains("agent `qa` cannot review"), "{}", agent.stderr);
    assert!(agent.stderr.contains("agents: [{ id: qa, brain: claude"), "{}", agent.stderr);
    let mode = countersign(repo.path(), &["review", "--mode", "linear"]);
    assert_eq!(mode.code, Some(2));
    assert!(mode.stderr.contains("add --reviewer model"), "{}", mode.stderr);
}

#[test]
fn a_key_alone_changes_nothing_where_nobody_looks() {
    let repo = repo();
    let mut command = command(repo.path());
    command.arg("review").env("ANTHROPIC_API_KEY", ModelServer::KEY);
    let outcome = run(command);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
}
