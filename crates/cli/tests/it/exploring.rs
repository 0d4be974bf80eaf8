//! `--mode agentic`: the model decides what to look at, in the wire formats of two providers.

use std::process::Command;
use std::time::Duration;

use serde_json::json;
use testkit::Repo;
use testkit::model_server::{Asked, ModelServer, Reply, Script};

use crate::models::{finding, repo, report, review_command};
use crate::program::{Outcome, run};

const PROVIDERS: [&str; 2] = ["anthropic", "openai"];

pub(crate) fn explore(repo: &Repo, server: &ModelServer, provider: &str, more: &[(&str, &str)]) -> Outcome {
    run(explore_command(repo, server, provider, more))
}

fn explore_command(repo: &Repo, server: &ModelServer, provider: &str, more: &[(&str, &str)]) -> Command {
    let mut command = review_command(repo, server, provider, &["--mode", "agentic"]);
    command.envs(more.iter().copied());
    command
}

/// Asks to be shown all three files of the change.
pub(crate) fn looks_at_everything() -> Reply {
    let files = ["README.md", "src/total.py", "tests/test_total.py"];
    let ask = |reply: Reply, file: &&str| reply.and_call("show_hunk", json!({ "file": file }));
    files.iter().fold(Reply::text("I look at all of it."), ask)
}

pub(crate) fn is_offered_tools(asked: &Asked) -> bool {
    asked.body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
}

/// After having looked at everything, what `then` says to each further question with tools; `last` without them.
fn after_looking(
    then: impl Fn(usize) -> Reply + Send + Sync + 'static,
    last: Reply,
) -> impl Fn(&Asked) -> Reply + Send + Sync + 'static {
    move |asked| match asked.number {
        _ if !is_offered_tools(asked) => last.clone(),
        Some(0) | None => looks_at_everything(),
        Some(number) => then(number),
    }
}

fn inconclusive(outcome: &Outcome, said: &str) {
    assert_eq!(outcome.code, Some(3), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.words().contains(said), "{said}: {}", outcome.stdout);
}

#[test]
fn a_model_looks_around_and_its_report_counts() {
    for provider in PROVIDERS {
        let repo = repo();
        let before = repo.snapshot();
        let server = ModelServer::start([
            looks_at_everything(),
            Reply::call("grep", json!({ "pattern": "sum(" }))
                .and_call("read_file", json!({ "path": "src/total.py" }))
                .and_call("list_files", json!({ "of": "tree" })),
            Reply::json(&report(&[finding()])),
        ]);
        let outcome = explore(&repo, &server, provider, &[]);
        assert_eq!(outcome.code, Some(1), "{provider}: {}{}", outcome.stdout, outcome.stderr);
        let questions = server.questions();
        assert!(questions[1].text().contains("+2|    return sum(prices) / len(prices)"), "{provider}");
        let seen = questions[2].text();
        for expected in
            ["src/total.py:2|", "Lines 1 to 2 of 2:", "README.md\nsrc/\ntests/", "3 of 3 hunks seen"]
        {
            assert!(seen.contains(expected), "{provider}: {expected}: {seen}");
        }
        let words = outcome.words();
        for expected in [
            "This is the mean, not the total --> src/total.py:2",
            "Reviewed in mode AGENTIC_ACT_LOOP as was asked for",
            "The model explored in 3 turns; it ended with its report",
            &format!("{provider}:scripted sums up: s"),
        ] {
            assert!(words.contains(expected), "{expected}: {}", outcome.stdout);
        }
        assert_eq!(server.refusals(), [""; 0]);
        assert_eq!(before, repo.snapshot());
    }
}

#[test]
fn a_model_that_never_finishes_is_stopped_and_proves_nothing() {
    for provider in PROVIDERS {
        let more = |number| Reply::call("grep", json!({ "pattern": format!("x{number}") }));
        let server = ModelServer::start(after_looking(more, Reply::text("Let me look at one more thing.")));
        let outcome = explore(&repo(), &server, provider, &[("COUNTERSIGN_MODEL_ITERATIONS", "4")]);
        inconclusive(&outcome, "stopped after model.iterations turns");
        let with_tools = server.questions().iter().filter(|asked| is_offered_tools(asked)).count();
        assert_eq!((with_tools, server.refusals()), (4, vec![]));
    }
}

#[test]
fn a_model_that_repeats_itself_makes_no_progress() {
    for provider in PROVIDERS {
        let script = |asked: &Asked| match is_offered_tools(asked) {
            true => Reply::call("list_files", json!({ "of": "change" })),
            false => Reply::json(&report(&[])),
        };
        let server = ModelServer::start(script);
        let outcome = explore(&repo(), &server, provider, &[]);
        inconclusive(&outcome, "stopped because it made no progress");
        assert_eq!((server.questions().len(), server.refusals()), (5, vec![]));
    }
}

#[test]
fn a_model_that_spends_too_much_is_stopped() {
    let script = after_looking(|_| Reply::call("grep", json!({ "pattern": "a" })), Reply::json(&report(&[])));
    let costly = move |asked: &Asked| script(asked).costing(50_000, 10);
    let server = ModelServer::start(Script::from(costly));
    let limit = [("COUNTERSIGN_MODEL_BUDGET_TOKENS_PER_REVIEW", "60000")];
    inconclusive(&explore(&repo(), &server, "anthropic", &limit), "budget");
    assert!(server.questions().len() < 3, "{}", server.questions().len());
}

#[test]
fn a_model_that_takes_too_long_is_stopped() {
    let server = ModelServer::start(looks_at_everything().after(Duration::from_secs(3_600)));
    let limit = [("COUNTERSIGN_MODEL_TIMEOUT", "2")];
    inconclusive(&explore(&repo(), &server, "openai", &limit), "in time");
}

#[test]
fn tools_that_are_not_offered_are_not_had() {
    for provider in PROVIDERS {
        let server = ModelServer::start([
            looks_at_everything()
                .and_call("merge_pull_request", json!({ "number": 1 }))
                .and_call("bash", json!({ "command": "touch hacked" }))
                .and_call("run_linter", json!({ "name": "sh" })),
            Reply::json(&report(&[])),
        ]);
        let repo = repo();
        let before = repo.snapshot();
        let outcome = explore(&repo, &server, provider, &[]);
        assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
        assert_eq!(server.questions()[1].text().matches("There is no such tool.").count(), 3);
        assert_eq!(before, repo.snapshot());
    }
}

#[test]
fn no_path_and_no_link_leads_out_of_the_repository() {
    let repo = repo();
    std::fs::write(repo.outside("secret.txt"), "the crown jewels\n").unwrap();
    std::os::unix::fs::symlink(repo.outside("secret.txt"), repo.path().join("link.txt")).unwrap();
    std::os::unix::fs::symlink(repo.outside("."), repo.path().join("folder")).unwrap();
    std::fs::write(repo.path().join("ignored.env"), "the crown jewels\n").unwrap();
    repo.write(".gitignore", "*.env\n");
    let escapes = [
        "../secret.txt",
        "/etc/passwd",
        ".git/config",
        "src/../../secret.txt",
        "link.txt",
        "folder/secret.txt",
        "ignored.env",
    ];
    let ask = |reply: Reply, path: &&str| reply.and_call("read_file", json!({ "path": path }));
    let looking = escapes.iter().fold(Reply::text("I try."), ask);
    let looking = looking
        .and_call("grep", json!({ "pattern": "crown" }))
        .and_call("grep", json!({ "pattern": "crown", "folder": "folder" }));
    let server = ModelServer::start([looking, Reply::json(&report(&[]))]);
    let mut command = review_command(&repo, &server, "anthropic", &["--mode", "agentic", "--worktree"]);
    command.env("COUNTERSIGN_MODEL_ITERATIONS", "2");
    let outcome = run(command);
    // What was not looked at was not reviewed.
    assert_eq!(outcome.code, Some(3), "{}{}", outcome.stdout, outcome.stderr);
    let told = server.questions()[1].text();
    assert_eq!(told.matches("The path ").count(), 4, "{told}");
    assert!(told.contains("There is no such file on that side."), "{told}");
    assert!(!told.contains("crown jewels"), "{told}");
}

#[test]
fn a_report_on_what_was_not_looked_at_proves_nothing() {
    for provider in PROVIDERS {
        let server = ModelServer::start(Reply::json(&report(&[])));
        let outcome = explore(&repo(), &server, provider, &[]);
        inconclusive(&outcome, "INCONCLUSIVE");
        assert_eq!(server.questions().len(), 3);
        assert!(server.questions()[1].text().contains("you have not been shown all of the change"));
    }
}

#[test]
fn a_change_beyond_the_linear_budget_is_explored() {
    for provider in PROVIDERS {
        let (repo, server) = (repo(), ModelServer::start([looks_at_everything(), Reply::json(&report(&[]))]));
        let mut command = review_command(&repo, &server, provider, &[]);
        command.env("COUNTERSIGN_MODEL_LINEAR_TOKENS", "5");
        let outcome = run(command);
        assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
        assert!(outcome.words().contains("more tokens than model.linear_tokens"), "{}", outcome.stdout);
    }
}

#[test]
fn a_linear_review_that_failed_is_recovered_from_by_exploring() {
    for provider in PROVIDERS {
        let script = |asked: &Asked| match (is_offered_tools(asked), asked.number) {
            (false, _) => Reply::text("Looks good to me!"),
            (true, Some(2)) => looks_at_everything(),
            (true, _) => Reply::json(&report(&[finding()])),
        };
        let (repo, server) = (repo(), ModelServer::start(script));
        let outcome = run(review_command(&repo, &server, provider, &[]));
        assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
        let words = outcome.words();
        assert!(words.contains("AGENTIC_ACT_LOOP because the linear review failed"), "{}", outcome.stdout);
        assert!(words.contains("This is the mean, not the total"), "{}", outcome.stdout);
        assert_eq!(server.refusals(), [""; 0]);
    }
}

#[test]
fn findings_of_an_exploration_are_put_to_question_too() {
    let script = |asked: &Asked| match asked.number {
        Some(0) => looks_at_everything(),
        Some(1) => Reply::json(&report(&[finding()])),
        _ => Reply::json(&json!({ "refuted": true, "reason": "The mean is what was asked for" })),
    };
    let (repo, server) = (repo(), ModelServer::start(script));
    let outcome = explore(&repo, &server, "openai", &[("COUNTERSIGN_MODEL_VERIFY", "true")]);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.words().contains("1 finding was refuted by a second opinion"), "{}", outcome.stdout);
    let question = server.questions()[2].text();
    assert!(question.contains("What is wrong: This is the mean") && question.contains("+2|    return sum"));
}

#[test]
fn several_models_explore_and_have_to_agree() {
    let script = |asked: &Asked| match asked.text().contains("hunks seen") {
        false => looks_at_everything(),
        true if asked.path == "/v1/messages" => Reply::json(&report(&[finding()])),
        true => Reply::json(&report(&[])),
    };
    let (repo, server) = (repo(), ModelServer::start(script));
    let both = [
        ("COUNTERSIGN_MODEL_CONSENSUS", "2"),
        ("CODE_REVIEW_LLM_MODEL_PRIORITY", "anthropic:scripted,openai:scripted"),
    ];
    let outcome = explore(&repo, &server, "openai", &both);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
    let words = outcome.words();
    assert!(words.contains("Only 1 of 2 reviewers found this."), "{}", outcome.stdout);
    assert!(words.contains("anthropic:scripted explored in 2 turns"), "{}", outcome.stdout);
}

/// What Anthropic and OpenAI say when a question is longer than the model can take.
fn too_long(provider: &str) -> Reply {
    match provider {
        "anthropic" => {
            Reply::status(400, "invalid_request_error", "prompt is too long: 9999 tokens > 4000 maximum")
        }
        _ => Reply::status(
            400,
            "invalid_request_error",
            "This model's maximum context length is 4000 tokens. However, your messages resulted in 9999 tokens.",
        ),
    }
}

fn large_change() -> Repo {
    let repo = repo();
    let lines: String = (0..300).map(|n| format!("PRICE_{n} = {n} * 100 + {n}\n")).collect();
    repo.write("src/prices.py", lines);
    repo.write("tests/test_prices.py", "def test_price():\n    assert PRICE_1 == 101\n");
    repo.commit("List the prices");
    repo
}

#[test]
fn a_question_that_is_too_large_is_taken_apart_until_it_fits() {
    for provider in PROVIDERS {
        let small = repo();
        let server = ModelServer::start(Reply::json(&report(&[])));
        run(review_command(&small, &server, provider, &[]));
        // What fits is little more than a change of a few lines.
        let limit = server.questions()[0].text().len() + 3_000;
        let script = move |asked: &Asked| match asked.text().len() > limit {
            true => too_long(provider),
            false => Reply::json(&report(&[])),
        };
        let (repo, server) = (large_change(), ModelServer::start(script));
        let outcome = run(review_command(&repo, &server, provider, &[]));
        assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
        assert!(outcome.words().contains("1 question was too large for the model"), "{}", outcome.stdout);
        let taken: String =
            server.questions().iter().map(Asked::text).filter(|text| text.len() <= limit).collect();
        assert!((0..300).all(|n| taken.contains(&format!("PRICE_{n} = "))), "all of it was shown");
        assert!(server.questions().len() < 16, "{}", server.questions().len());
    }
}

#[test]
fn a_model_that_can_take_nothing_is_not_asked_for_ever() {
    for mode in ["linear", "agentic"] {
        let (repo, server) = (large_change(), ModelServer::start(too_long("anthropic")));
        let outcome = run(review_command(&repo, &server, "anthropic", &["--mode", mode]));
        inconclusive(&outcome, "too large");
        assert!(server.questions().len() < 8, "{mode}: {}", server.questions().len());
    }
}
