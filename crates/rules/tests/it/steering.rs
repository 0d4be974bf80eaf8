//! Files that steer agents or run code when the folder is opened.

use domain::words::Severity;

use crate::support::{NOTHING, Scenario};

const RULE: &str = "agent-steering";

fn severity(scenario: Scenario) -> Option<Severity> {
    let findings = scenario.findings(RULE);
    assert!(findings.iter().all(|finding| finding.line().is_none()));
    findings.first().map(|finding| finding.severity)
}

#[test]
fn what_runs_code_blocks() {
    for (path, text) in [
        (".claude/settings.json", "{\"hooks\": {}}\n"),
        (".mcp.json", "{\"mcpServers\": {}}\n"),
        (".devcontainer/devcontainer.json", "{\"postCreateCommand\": \"sh x\"}\n"),
        (".vscode/tasks.json", "{\"tasks\": []}\n"),
        (".envrc", "export A=1\n"),
        (".vscode/settings.json", "{\n  \"python.defaultInterpreterPath\": \"./x\"\n}\n"),
    ] {
        assert_eq!(severity(Scenario::adding(path, text)), Some(Severity::High), "{path}");
        assert_eq!(severity(Scenario::changing(path, "{}\n", text)), Some(Severity::High), "{path}");
    }
    assert_eq!(severity(Scenario::default().and_binary(".vscode/settings.json")), Some(Severity::High));
    assert_eq!(severity(Scenario::linking(".envrc", "setup.sh")), Some(Severity::High));
}

#[test]
fn instructions_to_agents_are_reported() {
    for path in
        ["CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursor/rules/a.mdc", ".github/copilot-instructions.md"]
    {
        assert_eq!(severity(Scenario::adding(path, "Be kind.\n")), Some(Severity::Low), "{path}");
        assert_eq!(severity(Scenario::changing(path, "Be.\n", "Be kind.\n")), Some(Severity::Low), "{path}");
    }
}

#[test]
fn files_that_steer_no_agent_are_left_alone() {
    for scenario in [
        Scenario::adding(".vscode/settings.json", "{\n  \"editor.tabSize\": 2\n}\n"),
        Scenario::adding("src/claude/settings.json", "{}\n"),
        Scenario::adding("vendor/x/AGENTS.md", "Be kind.\n"),
        Scenario::default().and_removing(".mcp.json", "{}\n"),
    ] {
        assert_eq!(scenario.lines(RULE), NOTHING);
        assert_eq!(severity(scenario), None);
    }
}

#[test]
fn a_fixture_is_only_reported() {
    let fixture = Scenario::adding("tests/fixtures/.mcp.json", "{}\n");
    assert_eq!(severity(fixture), Some(Severity::Low));
}
