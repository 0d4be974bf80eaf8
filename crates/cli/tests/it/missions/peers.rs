//! The same missions through other people's servers, where they are installed.

use std::path::PathBuf;

use super::stage::{KEY, Stage, finds_it};
use crate::program::run;

/// `scripts/test` says where; without it there is nothing to test against.
fn installed() -> Option<PathBuf> {
    testkit::installed("COUNTERSIGN_TEST_FORGE", "other people's MCP servers are")
}

#[test]
fn a_mission_through_mcp_gitlab_and_mcp_atlassian_goes_as_through_our_own() {
    let Some(place) = installed() else { return };
    let stage = Stage::new(finds_it());
    // Outside of a code block mcp-atlassian takes underscores for emphasis.
    let unfenced = stage.description().replace("{code:yaml}\n", "").replace("{code}\n", "");
    stage.forge.describe(KEY, unfenced.as_str());
    let gitlab = place.join("node_modules/@zereight/mcp-gitlab/build/index.js");
    let node = place.join("node_modules/.bin/node");
    let atlassian = place.join("python/bin/mcp-atlassian");
    let servers = serde_json::json!({"mcpServers": {
        "gitlab": {"command": node, "args": [gitlab], "env": {
            "GITLAB_API_URL": "${GITLAB_API_URL}", "GITLAB_PERSONAL_ACCESS_TOKEN": "${GITLAB_TOKEN}"}},
        "atlassian": {"command": atlassian, "env": {
            "JIRA_URL": "${JIRA_URL}", "JIRA_PERSONAL_TOKEN": "${JIRA_PERSONAL_TOKEN}",
            "CONFLUENCE_URL": "${CONFLUENCE_URL}", "CONFLUENCE_PERSONAL_TOKEN": "${CONFLUENCE_PERSONAL_TOKEN}"}}
    }});
    std::fs::write(stage.folder.path().join(".mcp.json"), servers.to_string()).unwrap();
    let policy = "connect:\n  vcs: { server: gitlab, profile: mcp-gitlab }\n  tracker: { server: atlassian, profile: mcp-atlassian }\n  \
                  docs: { server: atlassian, profile: mcp-atlassian }\n";
    std::fs::write(stage.folder.path().join("countersign.yaml"), policy).unwrap();
    let mission = || {
        let mut command = stage.command(&[KEY]);
        command.env("COUNTERSIGN_PUBLISH_KEY", "a key that only this test knows");
        run(command)
    };
    let outcome = mission();
    assert_eq!(outcome.code, Some(1), "{}{} {:?}", outcome.stdout, outcome.stderr, stage.told());
    assert_eq!((stage.count("start"), stage.count("result")), (1, 1), "{:?}", stage.told());
    assert!(
        stage.posted().iter().any(|body| body.contains("This is the mean, not the total")),
        "{:?}",
        stage.posted()
    );
    stage.nothing_leaked(&outcome);
    let link = format!("|{}]", stage.forge.merge_request_url(super::stage::PROJECT, stage.number));
    let issue = stage.forge.issue(KEY);
    assert!(issue.said().iter().all(|body| body.contains(&link)), "{link}: {:?}", issue.said());
    std::fs::remove_dir_all(stage.folder.path().join(".agent-communication")).unwrap();
    let again = mission();
    assert!(again.stdout.contains("was told before: the review failed"), "{}{}", again.stdout, again.stderr);
    assert_eq!(stage.told().len(), 2, "{:?}", stage.told());
}
