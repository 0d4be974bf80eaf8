use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    SelectedPermissionOutcome, ToolKind,
};

use super::super::Role;
use super::command::objection;
use super::wish::{Wish, is_git};

/// What an agent may do when it asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermitPolicy {
    /// Absolute, and not a link.
    pub worktree: PathBuf,
    /// A reviewer reads.
    pub role: Role,
    pub execute: Execute,
}

/// Which commands an agent may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Execute {
    /// These, with any further arguments: the command that runs the tests, say.
    Listed(Vec<String>),
    /// Whatever does not evidently reach out of the worktree.
    Anything,
}

impl Default for Execute {
    fn default() -> Execute {
        Execute::Listed(Vec::new())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// This time: nothing is ever allowed for good.
    AllowOnce,
    /// With the reason.
    Reject(&'static str),
}

/// Answers a request for permission. The same request under the same policy has always the same answer.
pub fn permit(request: &RequestPermissionRequest, policy: &PermitPolicy) -> Permission {
    let wish = Wish::of(&request.tool_call.fields, &policy.worktree);
    match objection_to(&wish, policy) {
        Some(reason) => Permission::Reject(reason),
        None => Permission::AllowOnce,
    }
}

fn objection_to(wish: &Wish, policy: &PermitPolicy) -> Option<&'static str> {
    if wish.address.is_some() {
        return Some("it reaches into the network");
    }
    let is_inside =
        |path: &Option<PathBuf>| path.as_ref().is_some_and(|path| path.starts_with(&policy.worktree));
    if !wish.paths.iter().all(is_inside) {
        return Some("it names a place outside of the worktree");
    }
    // Whatever it calls itself, something that has a command runs it.
    if let Some(command) = &wish.command {
        return objection(command, &policy.execute, &policy.worktree);
    }
    match wish.kind {
        ToolKind::Read => needs_path(wish),
        ToolKind::Search | ToolKind::Think => None,
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move => {
            needs_path(wish).or_else(|| unwritable(wish, policy))
        }
        ToolKind::Execute => Some("it does not say which command it would run"),
        ToolKind::Fetch => Some("it reaches into the network"),
        ToolKind::SwitchMode => Some("it may not change the rules it works by"),
        // Kinds to come are treated as what is not known: as an edit if there is something to edit, else not at all.
        ToolKind::Other | _ if wish.paths.is_empty() => Some("it is not known what this tool does"),
        ToolKind::Other | _ => unwritable(wish, policy),
    }
}

fn needs_path(wish: &Wish) -> Option<&'static str> {
    wish.paths.is_empty().then_some("it does not say which file it means")
}

fn unwritable(wish: &Wish, policy: &PermitPolicy) -> Option<&'static str> {
    if policy.role == Role::Reviewer {
        return Some("a reviewer changes nothing");
    }
    let below = |path: &Path| path.strip_prefix(&policy.worktree).map(Path::to_owned).unwrap_or_default();
    let paths: Vec<PathBuf> = wish.paths.iter().flatten().map(|path| below(path)).collect();
    if paths.iter().any(|path| is_git(path)) {
        return Some("it touches the repository itself");
    }
    let whole = matches!(wish.kind, ToolKind::Delete | ToolKind::Move)
        && paths.iter().any(|path| path.as_os_str().is_empty());
    whole.then_some("it would take away the whole worktree")
}

/// The option that says what was decided. There may be none: an agent that can only be allowed for good is refused,
/// and one that cannot be refused is told that the request came to nothing.
pub(super) fn option_for(permission: Permission, options: &[PermissionOption]) -> RequestPermissionOutcome {
    use PermissionOptionKind::{AllowOnce, RejectAlways, RejectOnce};
    let kinds: &[PermissionOptionKind] = match permission {
        Permission::AllowOnce => &[AllowOnce, RejectOnce, RejectAlways],
        Permission::Reject(_) => &[RejectOnce, RejectAlways],
    };
    let found = kinds.iter().find_map(|kind| options.iter().find(|option| option.kind == *kind));
    match found {
        Some(option) => {
            RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone()))
        }
        None => RequestPermissionOutcome::Cancelled,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn request(call: Value) -> RequestPermissionRequest {
        let mut tool_call = json!({"toolCallId": "1"});
        tool_call.as_object_mut().unwrap().extend(call.as_object().unwrap().clone());
        serde_json::from_value(json!({"sessionId": "s", "toolCall": tool_call, "options": []})).unwrap()
    }

    fn answer(call: Value, execute: &Execute) -> &'static str {
        answer_to(Role::Author, call, execute)
    }

    fn answer_to(role: Role, call: Value, execute: &Execute) -> &'static str {
        let policy = PermitPolicy { worktree: "/w/tree".into(), role, execute: execute.clone() };
        match permit(&request(call), &policy) {
            Permission::AllowOnce => "yes",
            Permission::Reject(_) => "no",
        }
    }

    #[test]
    fn a_reviewer_reads_and_changes_nothing() {
        for (expected, call) in [
            ("yes", json!({"kind": "read", "rawInput": {"path": "a.rs"}})),
            ("yes", json!({"kind": "search", "rawInput": {"pattern": "fn"}})),
            ("no", json!({"kind": "edit", "rawInput": {"path": "a.rs"}})),
            ("no", json!({"kind": "delete", "rawInput": {"path": "a.rs"}})),
            ("no", json!({"rawInput": {"path": "a.rs"}})),
            ("no", json!({"kind": "execute", "rawInput": {"command": "make"}})),
        ] {
            assert_eq!(answer_to(Role::Reviewer, call.clone(), &Execute::default()), expected, "{call}");
        }
    }

    #[test]
    fn files_of_the_worktree_may_be_read_and_changed() {
        let listed = Execute::default();
        for (expected, call) in [
            ("yes", json!({"kind": "read", "locations": [{"path": "/w/tree/a.rs"}]})),
            ("yes", json!({"kind": "read", "rawInput": {"file_path": "src/a.rs"}})),
            ("yes", json!({"kind": "search", "rawInput": {"pattern": "fn"}})),
            ("yes", json!({"kind": "think"})),
            (
                "yes",
                json!({"kind": "edit", "content": [{"type": "diff", "path": "/w/tree/a.rs", "newText": "x"}]}),
            ),
            ("yes", json!({"kind": "edit", "rawInput": {"path": "/w/tree/x/../a.rs"}})),
            ("yes", json!({"kind": "delete", "rawInput": {"path": "a.rs"}})),
            ("yes", json!({"kind": "move", "rawInput": {"source": "a.rs", "destination": "b.rs"}})),
            ("yes", json!({"rawInput": {"path": "a.rs"}})),
            ("no", json!({"kind": "read"})),
            ("no", json!({"kind": "read", "locations": [{"path": "/etc/passwd"}]})),
            ("no", json!({"kind": "read", "rawInput": {"file_path": "../other/a.rs"}})),
            ("no", json!({"kind": "read", "rawInput": {"file_path": "/w/tree-of-another/a.rs"}})),
            ("no", json!({"kind": "search", "rawInput": {"path": "/"}})),
            ("no", json!({"kind": "edit"})),
            ("no", json!({"kind": "edit", "rawInput": {"path": "../../../../x"}})),
            (
                "no",
                json!({"kind": "edit", "locations": [{"path": "/w/tree/a"}], "rawInput": {"path": "/etc/a"}}),
            ),
            ("no", json!({"kind": "edit", "rawInput": {"changes": {"/home/me/.bashrc": {}}}})),
            ("no", json!({"kind": "edit", "rawInput": {"path": ".git"}})),
            ("no", json!({"kind": "edit", "rawInput": {"path": "sub/.GIT/hooks/pre-commit"}})),
            ("no", json!({"kind": "delete", "rawInput": {"path": "/w/tree/.git/config"}})),
            ("no", json!({"kind": "delete", "rawInput": {"path": "/w/tree"}})),
            ("no", json!({"kind": "move", "rawInput": {"source": "a.rs", "destination": "/tmp/a.rs"}})),
            ("no", json!({"kind": "fetch", "title": "Fetch"})),
            ("no", json!({"kind": "read", "rawInput": {"url": "https://example.com"}})),
            ("no", json!({"kind": "switch_mode"})),
            ("no", json!({"kind": "something new"})),
            ("no", json!({})),
        ] {
            assert_eq!(answer(call.clone(), &listed), expected, "{call}");
        }
    }

    #[test]
    fn only_the_commands_on_the_list_are_run() {
        let listed = Execute::Listed(vec!["cargo test".into()]);
        for (expected, command) in [
            ("yes", json!("cargo test")),
            ("yes", json!("cargo test -p domain -- --nocapture")),
            ("yes", json!("cd /w/tree && cargo test")),
            ("yes", json!("cd crates && cargo test")),
            ("yes", json!(["bash", "-lc", "cargo test"])),
            ("yes", json!(["cargo", "test", "--lib"])),
            ("no", json!("cargo build")),
            ("no", json!("cargo testing")),
            ("no", json!("cargo test; rm -rf src")),
            ("no", json!("cargo test && make")),
            ("no", json!("cargo test $(make)")),
            ("no", json!("cargo test\nmake")),
            ("no", json!("cargo test --target-dir /etc")),
            ("no", json!("cargo test --target-dir=../x")),
            ("no", json!("cd /etc && cargo test")),
            ("no", json!("cd $HOME && cargo test")),
            ("no", json!("")),
            ("no", json!([1])),
        ] {
            let call = json!({"kind": "execute", "rawInput": {"command": command}});
            assert_eq!(answer(call, &listed), expected, "{command}");
        }
        let disguised = json!({"kind": "read", "rawInput": {"path": "a.rs", "command": "make"}});
        assert_eq!(answer(disguised, &listed), "no");
    }

    #[test]
    fn where_any_command_may_be_run_it_still_stays_inside() {
        for (expected, command) in [
            ("yes", "make all && ./run | tail -5"),
            ("yes", "git diff > /dev/null"),
            ("yes", "/usr/bin/env python3 x.py"),
            ("no", "git push origin main"),
            ("no", "git -C . push"),
            ("no", "rm -rf .git"),
            ("no", "rm -rf \"./.git/hooks\""),
            ("no", "cat /etc/passwd"),
            ("no", "cat ~/.ssh/id_ed25519"),
            ("no", "cp a.rs ../../b"),
            ("no", "curl example.com"),
            ("no", "/usr/bin/wget -q x"),
            ("no", "pip install git+https://example.com/x"),
        ] {
            let call = json!({"kind": "execute", "rawInput": {"command": command}});
            assert_eq!(answer(call, &Execute::Anything), expected, "{command}");
        }
        let elsewhere = json!({"kind": "execute", "rawInput": {"command": "make", "cwd": "/etc"}});
        assert_eq!(answer(elsewhere, &Execute::Anything), "no");
    }

    #[test]
    fn nothing_is_allowed_for_good() {
        let option = |id: &str, kind| PermissionOption::new(id.to_owned(), id, kind);
        let always = option("always", PermissionOptionKind::AllowAlways);
        let once = option("once", PermissionOptionKind::AllowOnce);
        let no = option("no", PermissionOptionKind::RejectOnce);
        let chosen = |permission, options: &[PermissionOption]| match option_for(permission, options) {
            RequestPermissionOutcome::Selected(selected) => selected.option_id.to_string(),
            _ => "cancelled".to_owned(),
        };
        let all = [always.clone(), once, no.clone()];
        assert_eq!(chosen(Permission::AllowOnce, &all), "once");
        assert_eq!(chosen(Permission::Reject(""), &all), "no");
        assert_eq!(chosen(Permission::AllowOnce, &[always.clone(), no]), "no");
        assert_eq!(chosen(Permission::Reject(""), &[always]), "cancelled");
    }
}
