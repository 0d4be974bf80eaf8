use super::stage::{Kind, SOUND, STOPS, Stage};

const REMARK: &str = "comes from a fork";

#[test]
fn a_change_from_a_fork_is_read_and_nothing_of_it_is_executed() {
    for kind in Kind::BOTH {
        let stage = Stage::from_fork(kind, STOPS);
        let outcome = stage.review(&["--publish", "--format", "markdown"]);
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        assert!(
            outcome.stdout.contains("debugger-stop") && outcome.stdout.contains(REMARK),
            "{}",
            outcome.stdout
        );
        assert!(!outcome.stdout.contains("loud"), "{}", outcome.stdout);
        let posted = stage.posted().join("\n");
        assert!(posted.contains(REMARK), "{posted}");
    }
}

#[test]
fn a_fork_that_is_trusted_is_treated_as_the_project_itself() {
    let stage = Stage::from_fork(Kind::Github, SOUND);
    std::fs::write(stage.folder.path().join("countersign.yaml"), "connect: { forks: trusted }\n").unwrap();
    let outcome = stage.review(&["--format", "markdown"]);
    assert!(outcome.stdout.contains("loud"), "{}{}", outcome.stdout, outcome.stderr);
    assert!(!outcome.stdout.contains(REMARK), "{}", outcome.stdout);
}

#[test]
fn the_configuration_of_a_fork_does_not_count() {
    let stage = Stage::from_fork(Kind::Github, STOPS);
    let lax = "rules: { disable: [debugger-stop] }\nconnect: { forks: trusted }\n";
    stage.forge.commit("mallory/shop", "evil", &[("countersign.yaml", lax), ("src/total.py", STOPS)]);
    let outcome = stage.review(&["--format", "markdown"]);
    assert!(
        outcome.stdout.contains("debugger-stop") && outcome.stdout.contains(REMARK),
        "{}",
        outcome.stdout
    );
}
