use super::stage::{Kind, SOUND, Stage};
use testkit::model_server::ModelServer;

fn healthy(stage: &Stage, arguments: &[&str]) -> std::process::Command {
    let mut command = stage.command(arguments);
    command.env("CODE_REVIEW_LLM_MODEL_PRIORITY", "anthropic:scripted");
    command.env("ANTHROPIC_API_KEY", ModelServer::KEY);
    command
}

#[test]
fn what_a_mission_needs_is_asked_for_and_no_value_is_shown() {
    for kind in Kind::BOTH {
        let stage = Stage::new(kind, SOUND);
        let page = stage.forge.page("ARCH", "Architecture", "<p>x</p>", &[]).to_string();
        let mut command = healthy(&stage, &["doctor", "mission"]);
        command.env("CONFLUENCE_URL", stage.forge.confluence_url());
        command.env("CONFLUENCE_PERSONAL_TOKEN", &stage.token).env("ARCHITECTURE_DOC_PAGE_ID", &page);
        let outcome = crate::program::run(command);
        stage.nothing_leaked(&outcome);
        assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
        for expected in [
            "addresses of requests begin with",
            "starts, with",
            "the token is accepted, for countersign",
            "Architecture",
            "usable",
        ] {
            assert!(outcome.stdout.contains(expected), "{expected}: {}", outcome.stdout);
        }
    }
}

#[test]
fn everything_that_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = crate::program::countersign(folder.path(), &["doctor", "mission"]);
    assert_eq!(outcome.code, Some(2));
    for expected in ["VCS_PROVIDER", "JIRA_URL", "CODE_REVIEW_LLM_MODEL_PRIORITY"] {
        assert!(outcome.stdout.contains(expected), "{expected}: {}", outcome.stdout);
    }
}

#[test]
fn a_token_that_is_not_accepted_is_a_problem() {
    let stage = Stage::new(Kind::Gitlab, SOUND);
    stage.forge.revoke(&stage.token);
    let outcome = crate::program::run(healthy(&stage, &["doctor", "mission"]));
    stage.nothing_leaked(&outcome);
    assert!(outcome.stdout.to_lowercase().contains("token"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("the token is accepted"), "{}", outcome.stdout);
}
