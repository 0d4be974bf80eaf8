//! Which tools a reviewing model may have.

use serde_json::Value;

/// What whoever offers a tool says about it. It is believed only where it makes us more careful, or where the
/// name of the tool says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Unknown,
    ReadOnly,
    Writes,
    Destroys,
}

/// What the configuration allows beyond inspection and publishing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolPolicy {
    /// Names of tools that move a ticket, or whose names say nothing about what they do. Merging, approving,
    /// deleting, pushing and closing cannot be allowed: those decisions are not a model's.
    pub allow: Vec<String>,
}

/// What may be done with a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// It looks and changes nothing.
    Inspect,
    /// It says something where people read it, or does what was allowed by name.
    Publish,
    Denied(Denied),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// It merges, approves, deletes, pushes, closes or the like.
    Destructive,
    /// It moves a ticket to where there may be no way back.
    Transition,
    /// It changes something that is none of a reviewer's business, or does not say what it does.
    Unclear,
}

impl Denied {
    /// For the model that wanted it.
    pub fn in_words(self) -> &'static str {
        match self {
            Denied::Destructive => "it changes what a reviewer must not change",
            Denied::Transition => "it moves a ticket, and that was not allowed for this review",
            Denied::Unclear => "it neither only inspects nor only publishes a review",
        }
    }
}

const DESTRUCTIVE: [&str; 42] = [
    "merge",
    "merges",
    "approve",
    "approves",
    "approved",
    "unapprove",
    "accept",
    "delete",
    "deletes",
    "remove",
    "removes",
    "destroy",
    "drop",
    "purge",
    "erase",
    "wipe",
    "truncate",
    "push",
    "force",
    "close",
    "closes",
    "closed",
    "reopen",
    "rebase",
    "revert",
    "reset",
    "archive",
    "unarchive",
    "lock",
    "unlock",
    "dismiss",
    "cancel",
    "abort",
    "kill",
    "exec",
    "execute",
    "run",
    "deploy",
    "rename",
    "overwrite",
    "revoke",
    "rollback",
];
const TRANSITIONS: [&str; 6] = ["transition", "transitions", "move", "resolve", "unresolve", "assign"];
const READS: [&str; 18] = [
    "get", "list", "read", "search", "find", "show", "view", "fetch", "describe", "grep", "diff", "compare",
    "count", "lookup", "browse", "inspect", "blame", "download",
];
const PUBLISHES: [&str; 8] = ["add", "create", "post", "publish", "reply", "submit", "write", "update"];
/// What a review is published as.
const REMARKS: [&str; 11] = [
    "comment",
    "comments",
    "note",
    "notes",
    "review",
    "reviews",
    "discussion",
    "discussions",
    "thread",
    "summary",
    "remark",
];

/// Decides by the name of a tool and by what is said about it. A name that holds a destructive word is denied even
/// if the rest of it sounds harmless: what is denied by mistake costs little.
pub fn permission(name: &str, effect: Effect, policy: &ToolPolicy) -> Permission {
    let words = words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let is_named = policy.allow.iter().any(|allowed| allowed == name);
    if effect == Effect::Destroys || has(&DESTRUCTIVE) {
        return Permission::Denied(Denied::Destructive);
    }
    if is_named {
        return if effect == Effect::ReadOnly { Permission::Inspect } else { Permission::Publish };
    }
    let verb = words.iter().map(String::as_str).find(|word| is_verb(word));
    match (verb, effect) {
        (Some(verb), Effect::Unknown | Effect::ReadOnly) if READS.contains(&verb) && !does_more(&words) => {
            Permission::Inspect
        }
        (Some(verb), _) if TRANSITIONS.contains(&verb) => Permission::Denied(Denied::Transition),
        (Some(verb), Effect::Unknown | Effect::Writes) if PUBLISHES.contains(&verb) && has(&REMARKS) => {
            Permission::Publish
        }
        (None, Effect::ReadOnly) => Permission::Inspect,
        (_, _) => Permission::Denied(Denied::Unclear),
    }
}

/// Whether arguments ask a permitted tool for what no tool may do: a review can be published as an approval.
pub fn asks_for_more(arguments: &Value) -> bool {
    const DECIDING: [&str; 11] = [
        "event",
        "action",
        "state",
        "stateevent",
        "status",
        "operation",
        "method",
        "verdict",
        "transition",
        "decision",
        "command",
    ];
    /// Of tools that do several things: which of them.
    const CHOOSING: [&str; 3] = ["method", "action", "operation"];
    match arguments {
        Value::Object(fields) => fields.iter().any(|(key, value)| {
            let key: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
            let decides = DECIDING.contains(&key.to_ascii_lowercase().as_str());
            let destroys = |text: &str| words(text).iter().any(|word| DESTRUCTIVE.contains(&word.as_str()));
            let moves = |text: &str| words(text).iter().any(|word| TRANSITIONS.contains(&word.as_str()));
            let chooses = CHOOSING.contains(&key.to_ascii_lowercase().as_str());
            (decides && value.as_str().is_some_and(destroys))
                || (chooses && value.as_str().is_some_and(moves))
                || (value == &Value::Bool(true) && destroys(&key))
                || asks_for_more(value)
        }),
        Value::Array(items) => items.iter().any(asks_for_more),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn is_verb(word: &str) -> bool {
    READS.contains(&word) || TRANSITIONS.contains(&word) || PUBLISHES.contains(&word)
}

/// `get_and_update_page` reads first.
fn does_more(words: &[String]) -> bool {
    words.iter().any(|word| matches!(word.as_str(), "and" | "then" | "or"))
}

/// `mergeRequest_getNotes` as `merge request get notes`, without the merge in a merge request, which is a thing.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for c in name.chars().take(256) {
        let starts = !c.is_alphanumeric() || (c.is_uppercase() && was_lower);
        if starts && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.push(word);
    let is_thing = |index: usize| {
        let next = words.get(index + 1).map(String::as_str);
        words.get(index).is_some_and(|word| word == "merge") && matches!(next, Some("request" | "requests"))
    };
    let kept: Vec<usize> = (0..words.len()).filter(|index| !is_thing(*index)).collect();
    kept.into_iter().filter_map(|index| words.get(index).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tools_are_told_apart_by_name_and_by_what_is_said_of_them() {
        use Effect::*;
        use Permission::{Inspect, Publish};
        const UNCLEAR: Permission = Permission::Denied(Denied::Unclear);
        const DESTROYS: Permission = Permission::Denied(Denied::Destructive);
        const MOVES: Permission = Permission::Denied(Denied::Transition);
        let policy =
            ToolPolicy { allow: vec!["jira_transition_issue".into(), "merge_it".into(), "odd".into()] };
        let cases = [
            ("get_merge_request_diff", Unknown, Inspect),
            ("gitlab_list_merge_requests", ReadOnly, Inspect),
            ("mergeRequestGetNotes", Unknown, Inspect),
            ("jira_get_issue", Unknown, Inspect),
            ("confluence_search", ReadOnly, Inspect),
            ("get_issue", Writes, UNCLEAR),
            ("get_issue", Destroys, DESTROYS),
            ("get_and_update_page", Unknown, UNCLEAR),
            ("weather", ReadOnly, Inspect),
            ("weather", Unknown, UNCLEAR),
            ("add_comment", Writes, Publish),
            ("create_merge_request_note", Unknown, Publish),
            ("publish_review", Unknown, Publish),
            ("create_branch", Unknown, UNCLEAR),
            ("update_issue", Writes, UNCLEAR),
            ("merge_merge_request", Unknown, DESTROYS),
            ("mergePullRequest", ReadOnly, DESTROYS),
            ("approve_merge_request", Unknown, DESTROYS),
            ("delete_branch", Unknown, DESTROYS),
            ("get_then_delete_note", ReadOnly, DESTROYS),
            ("push_files", Unknown, DESTROYS),
            ("close_issue", Unknown, DESTROYS),
            ("run_pipeline", Unknown, DESTROYS),
            ("transition_issue", Writes, MOVES),
            ("jira_transition_issue", Writes, Publish),
            ("merge_it", Unknown, DESTROYS),
            ("odd", ReadOnly, Inspect),
            ("", Unknown, UNCLEAR),
        ];
        for (name, effect, expected) in cases {
            assert_eq!(permission(name, effect, &policy), expected, "{name} {effect:?}");
        }
    }

    #[test]
    fn a_permitted_tool_is_not_used_for_what_is_denied() {
        for hostile in [
            json!({ "event": "APPROVE" }),
            json!({ "body": "fine", "review": { "state_event": "close" } }),
            json!([{ "Action": "merge-now" }]),
            json!({ "approve": true }),
        ] {
            assert!(asks_for_more(&hostile), "{hostile}");
        }
        for harmless in [json!({ "event": "COMMENT", "body": "do not merge" }), json!({ "approve": false })] {
            assert!(!asks_for_more(&harmless), "{harmless}");
        }
    }
}
