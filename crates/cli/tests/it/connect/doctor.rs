use testkit::forge::Rights;
use testkit::model_server::{ModelServer, Reply};

use super::stage::{Kind, SOUND, Stage};

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
            "_TOKEN is accepted, for countersign",
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
    for expected in [
        "VCS_PROVIDER",
        "VCS_BASE_URL",
        "CODE_REVIEW_LLM_MODEL_PRIORITY",
        "ARCHITECTURE_DOC_PAGE_ID",
        "COUNTERSIGN_PUBLISH_KEY",
        "GITHUB_TOKEN",
        "JIRA_URL",
        "CONFLUENCE_URL",
        "no model can be asked",
    ] {
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
    assert!(!outcome.stdout.contains("GITLAB_TOKEN is accepted"), "{}", outcome.stdout);
}

#[test]
fn a_token_of_nobody_needs_a_key_to_sign_with() {
    let mut stage = Stage::new(Kind::Github, SOUND);
    stage.token = stage.forge.token("countersign[bot]", Rights::Checks);
    let with_key = |key: &str| {
        let mut command = healthy(&stage, &["doctor", "mission"]);
        command.env("COUNTERSIGN_PUBLISH_KEY", key);
        let outcome = crate::program::run(command);
        assert!(key.is_empty() || !outcome.stdout.contains(key), "{}", outcome.stdout);
        outcome
    };
    for (key, said) in [("", "no review can be published"), ("tiny-key", "too short to keep a secret")] {
        let outcome = with_key(key);
        assert_eq!(outcome.code, Some(2), "{}", outcome.stdout);
        assert!(outcome.stdout.contains(said), "{}", outcome.stdout);
    }
    assert!(with_key("a secret of all workers").stdout.contains("signed with a key"));
}

#[test]
fn whether_git_fetches_for_missions_is_said() {
    let stage = Stage::new(Kind::Gitlab, SOUND);
    let said = |policy: &str| {
        std::fs::write(stage.folder.path().join("countersign.yaml"), policy).unwrap();
        crate::program::run(healthy(&stage, &["doctor", "mission"])).stdout
    };
    assert!(said("connect: { mirror: false }\n").contains("the diff of the port alone"));
    let mirrors = stage.folder.path().join("cache/countersign/mirrors");
    let on = said("");
    assert!(on.contains(&format!("missions fetch commits into {}", mirrors.display())), "{on}");
    assert!(!mirrors.exists(), "looking makes nothing");
}

#[test]
fn models_are_asked_for_a_word_if_somebody_wants_to_know() {
    let stage = Stage::new(Kind::Gitlab, SOUND);
    let model = ModelServer::start(Reply::text("here"));
    let ping = |url: &str| {
        let mut command = healthy(&stage, &["doctor", "mission", "--ping"]);
        command.env("ANTHROPIC_BASE_URL", url);
        crate::program::run(command)
    };
    let answered = ping(&model.url());
    assert_eq!(answered.code, Some(0), "{}{}", answered.stdout, answered.stderr);
    assert!(answered.stdout.contains("answers"), "{}", answered.stdout);
    let silent = ping("http://127.0.0.1:1");
    assert_eq!(silent.code, Some(2), "{}", silent.stdout);
    assert!(silent.stdout.contains("does not answer"), "{}", silent.stdout);
}

fn said(stage: &Stage, set: &[(&str, &str)]) -> crate::program::Outcome {
    let mut command = healthy(stage, &["doctor", "mission"]);
    for (name, value) in set {
        command.env(name, value);
    }
    let outcome = crate::program::run(command);
    stage.nothing_leaked(&outcome);
    outcome
}

/// With a key to sign with nobody needs to know who we are, but everybody has to let us in.
#[test]
fn a_token_that_is_refused_is_told_by_its_name_even_with_a_key_to_sign_with() {
    for (kind, name) in [(Kind::Github, "GITHUB_TOKEN"), (Kind::Gitlab, "GITLAB_TOKEN")] {
        let stage = Stage::new(kind, SOUND);
        let set = [("COUNTERSIGN_PUBLISH_KEY", "a secret of all workers"), (name, "glpat-of-nobody")];
        let outcome = said(&stage, &set);
        assert_eq!(outcome.code, Some(2), "{}", outcome.stdout);
        let told = format!("{name} is refused");
        assert!(outcome.stdout.contains(&told) && outcome.stdout.contains("401"), "{}", outcome.stdout);
        assert!(!outcome.stdout.contains("glpat-of-nobody"), "{}", outcome.stdout);
        assert!(outcome.stdout.contains("JIRA_PERSONAL_TOKEN is accepted, for"), "{}", outcome.stdout);
    }
}

#[test]
fn tokens_of_tracker_and_wiki_are_told_by_their_names_too() {
    let stage = Stage::new(Kind::Gitlab, SOUND);
    let wiki = stage.forge.confluence_url();
    let outcome = said(
        &stage,
        &[
            ("JIRA_PERSONAL_TOKEN", "of-nobody"),
            ("CONFLUENCE_URL", &wiki),
            ("CONFLUENCE_PERSONAL_TOKEN", "of-nobody"),
        ],
    );
    assert_eq!(outcome.code, Some(2), "{}", outcome.stdout);
    for told in [
        "GITLAB_TOKEN is accepted, for",
        "JIRA_PERSONAL_TOKEN is refused",
        "CONFLUENCE_PERSONAL_TOKEN is refused",
    ] {
        assert!(outcome.stdout.contains(told), "{told}: {}", outcome.stdout);
    }
}

#[test]
fn an_interface_of_another_forge_and_certificates_that_cannot_be_read_are_problems() {
    let stage = Stage::new(Kind::Gitlab, SOUND);
    let outcome = said(&stage, &[("VCS_BASE_URL", "https://gitlab.example.com")]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("lead to the same forge"), "{}", outcome.stdout);
    let outcome = said(&stage, &[("COUNTERSIGN_CA_FILE", "/nowhere/at/all.pem")]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("COUNTERSIGN_CA_FILE: "), "{}", outcome.stdout);
}

#[test]
fn a_forge_nobody_supports_is_named_once_and_the_way_back_is_this_command() {
    let stage = Stage::new(Kind::Gitlab, SOUND);
    let outcome = said(&stage, &[("VCS_PROVIDER", "BITBUCKET")]);
    assert_eq!(outcome.stdout.matches("BITBUCKET").count(), 1, "{}", outcome.stdout);
    assert!(outcome.stderr.contains("`countersign doctor mission`"), "{}", outcome.stderr);
}

#[test]
fn certificates_and_schemes_that_do_not_fit_are_said() {
    let stage = Stage::new(Kind::Gitlab, SOUND);
    let gone = said(&stage, &[("SSL_CERT_FILE", "/nowhere/certificates.pem")]);
    assert_eq!(gone.code, Some(2), "{}", gone.stdout);
    assert!(gone.stdout.contains("SSL_CERT_FILE: the certificates in"), "{}", gone.stdout);
    let secure = stage.forge.url().replace("http://", "https://");
    let mixed = said(&stage, &[("VCS_BASE_URL", &secure)]);
    assert!(mixed.stdout.contains("the interface is reached by http"), "{}", mixed.stdout);
}
