//! A forge, a tracker, a wiki and a model on this machine, to try things by hand against:
//!
//! ```sh
//! cargo run -p countersign-testkit --example forge > /tmp/forge.env &   # prints the variables, and stays
//! . /tmp/forge.env && countersign doctor mission && countersign mission PROJ-1
//! ```
//!
//! With `--cloud`, its Jira is one of the cloud; with `--app`, the forge is GitHub and the token that of an app.

#![allow(clippy::print_stdout, reason = "this is what it is for")]

use std::io::Write;

use serde_json::json;
use testkit::forge::{Forge, Jira, PullSeed, Rights};
use testkit::model_server::{ModelServer, Reply};

const PROJECT: &str = "acme/shop";
const CODE: &str = "def total(prices):\n    breakpoint()\n    return sum(prices) / len(prices)\n";

fn main() -> std::io::Result<()> {
    let forge = Forge::start();
    let wants = |flag: &str| std::env::args().any(|argument| argument == flag);
    let (cloud, app) = (wants("--cloud"), wants("--app"));
    if cloud {
        forge.set_jira(Jira::Cloud);
    }
    let token = forge.token("countersign", Rights::Write);
    forge.repository(PROJECT);
    forge.commit(PROJECT, "feature/PROJ-1", &[("src/total.py", CODE)]);
    let seed = PullSeed::from("feature/PROJ-1").into("main").by("alice").title("Totals");
    let number = forge.open_pull(PROJECT, seed);
    let (url, project) = match app {
        true => (forge.pull_url(PROJECT, number), "github_repo"),
        false => (forge.merge_request_url(PROJECT, number), "gitlab_project_id"),
    };
    let page = forge.page("ARCH", "Architecture", "<p>Money is never a float.</p>", &[]);
    forge.ticket(
        "PROJ-1",
        "Add up prices",
        format!(
            "{{code:yaml}}\ncode_review_params:\n  {project}: {PROJECT}\n  source_branch_name: feature/PROJ-1\n  \
             review_request_url: {url}\n  generated_at: 2026-11-15T10:00:00Z\n{{code}}\n"
        )
        .as_str(),
    );
    let finding = json!({
        "file": "src/total.py", "line": 3, "end_line": null, "quote": "    return sum(prices) / len(prices)",
        "severity": "HIGH", "category": "correctness", "dimension": "requirement_adherence", "confidence": "high",
        "message": "This is the mean, not the total", "impact": "Customers pay too little",
        "suggestion": "Return the sum",
    });
    let report = json!({"summary": "s", "findings": [finding], "dimension_scores": null, "verdict": "fail"});
    let model = ModelServer::start(Reply::json(&report));
    let of_forge = match app {
        true => [
            ("VCS_PROVIDER", "GITHUB".to_owned()),
            ("GITHUB_API_URL", forge.github_url()),
            ("GITHUB_TOKEN", forge.token("countersign[bot]", Rights::Checks)),
            ("COUNTERSIGN_PUBLISH_KEY", "a secret of all workers".to_owned()),
        ],
        false => [
            ("VCS_PROVIDER", "GITLAB".to_owned()),
            ("GITLAB_API_URL", forge.gitlab_url()),
            ("GITLAB_TOKEN", token.clone()),
            ("GITLAB_URL", forge.url()),
        ],
    };
    let others = [
        ("VCS_BASE_URL", forge.url()),
        ("JIRA_URL", forge.jira_url()),
        (if cloud { "JIRA_API_TOKEN" } else { "JIRA_PERSONAL_TOKEN" }, token.clone()),
        ("JIRA_EMAIL", "countersign@example.com".to_owned()),
        ("CONFLUENCE_URL", forge.confluence_url()),
        ("CONFLUENCE_PERSONAL_TOKEN", token),
        ("ARCHITECTURE_DOC_PAGE_ID", page.to_string()),
        ("CODE_REVIEW_LLM_MODEL_PRIORITY", "anthropic:scripted".to_owned()),
        ("ANTHROPIC_API_KEY", ModelServer::KEY.to_owned()),
        ("ANTHROPIC_BASE_URL", model.url()),
    ];
    for (name, value) in of_forge.into_iter().chain(others) {
        println!("export {name}='{value}'");
    }
    println!("# the request: {url}");
    std::io::stdout().flush()?;
    loop {
        std::thread::park();
    }
}
