use serde_json::{Value, json};

use super::{CallScope, Denied, McpTool, Permission, ToolPolicy, asks_for_more, permission};
use crate::text::short_line;

/// A call that was not made, and why: for the model as an observation, for the audit as an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeniedCall {
    /// Cleaned and cut, for a model may call its tool anything.
    pub tool: String,
    pub reason: Reason,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The tool itself is not for a reviewer.
    Tool(Denied),
    /// A permitted tool was asked for what no tool may do.
    Arguments,
    /// It would have written to something else than what is under review; the argument that says so.
    Elsewhere { argument: String },
}

impl DeniedCall {
    pub fn new(tool: &str, reason: Reason) -> DeniedCall {
        DeniedCall { tool: short_line(tool), reason }
    }

    /// What the model is told.
    pub fn observation(&self) -> String {
        match &self.reason {
            Reason::Tool(why) => {
                format!("Nothing was done: this tool is not allowed in a review: {}. Do without it.", why.in_words())
            }
            Reason::Arguments => {
                "Nothing was done: a reviewer must not approve, merge, close or delete, not by an argument either."
                    .to_owned()
            }
            Reason::Elsewhere { argument } => format!(
                "Nothing was done: `{argument}` names something else than what is under review. Write only to that."
            ),
        }
    }

    /// What the audit keeps. The arguments are not in it: they may hold anything.
    pub fn detail(&self) -> Value {
        let reason = match &self.reason {
            Reason::Tool(Denied::Destructive) => "destructive",
            Reason::Tool(Denied::Transition) => "transition",
            Reason::Tool(Denied::Unclear) => "unclear",
            Reason::Arguments => "arguments",
            Reason::Elsewhere { .. } => "elsewhere",
        };
        json!({ "denied_tool": self.tool, "reason": reason })
    }
}

/// Asked before every call that a model wants made. With a scope, writing calls stay within it.
pub fn check_call(
    tool: &McpTool,
    arguments: &Value,
    policy: &ToolPolicy,
    scope: Option<&CallScope>,
) -> Result<(), DeniedCall> {
    let deny = |reason| Err(DeniedCall::new(&tool.name, reason));
    let permission = permission(&tool.name, tool.effect, policy);
    if let Permission::Denied(why) = permission {
        return deny(Reason::Tool(why));
    }
    if asks_for_more(arguments) {
        return deny(Reason::Arguments);
    }
    match (permission, scope.and_then(|scope| scope.strays(arguments))) {
        (Permission::Publish, Some(argument)) => deny(Reason::Elsewhere { argument }),
        (Permission::Publish | Permission::Inspect | Permission::Denied(_), _) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Effect;
    use super::*;

    fn tool(name: &str) -> McpTool {
        McpTool { name: name.into(), description: String::new(), input: json!({}), effect: Effect::Unknown }
    }

    #[test]
    fn a_denied_call_is_told_to_the_model_and_kept_for_the_audit() {
        let denied =
            check_call(&tool("merge_pull_request"), &json!({}), &ToolPolicy::default(), None).unwrap_err();
        assert!(denied.observation().starts_with("Nothing was done: this tool is not allowed"));
        assert_eq!(denied.detail(), json!({ "denied_tool": "merge_pull_request", "reason": "destructive" }));
    }

    #[test]
    fn an_approval_is_denied_however_it_is_asked_for() {
        let call = json!({ "method": "submit_pending", "event": "APPROVE" });
        let denied =
            check_call(&tool("pull_request_review_write"), &call, &ToolPolicy::default(), None).unwrap_err();
        assert_eq!(denied.reason, Reason::Arguments);
        let call = json!({ "method": "resolve_thread", "threadId": "PRRT_elsewhere" });
        let denied =
            check_call(&tool("pull_request_review_write"), &call, &ToolPolicy::default(), None).unwrap_err();
        assert_eq!(denied.reason, Reason::Arguments, "what a tool of that name would not be allowed");
    }

    #[test]
    fn a_comment_elsewhere_is_denied_and_a_look_elsewhere_is_not() {
        let scope = CallScope { projects: vec!["o/r".into()], number: 7, issues: vec!["PROJ-1".into()] };
        let check = |name: &str, call: Value| {
            check_call(&tool(name), &call, &ToolPolicy::default(), Some(&scope))
                .map_err(|denied| denied.reason)
        };
        assert_eq!(
            check("github_add_pr_comment", json!({ "repo": "o/r", "pr_number": 7, "body": "x" })),
            Ok(())
        );
        let elsewhere = |argument: &str| Err(Reason::Elsewhere { argument: argument.into() });
        assert_eq!(
            check("github_add_pr_comment", json!({ "repo": "o/x", "pr_number": 7 })),
            elsewhere("repo")
        );
        assert_eq!(check("add_issue_comment", json!({ "owner": "o", "repo": "x" })), elsewhere("repo"));
        assert_eq!(
            check("create_merge_request_note", json!({ "merge_request_iid": "8" })),
            elsewhere("merge_request_iid")
        );
        assert_eq!(check("jira_add_comment", json!({ "issue_key": "OTHER-1" })), elsewhere("issue_key"));
        assert_eq!(check("jira_add_comment", json!({ "issue_key": "proj-1" })), Ok(()));
        assert_eq!(check("get_issue", json!({ "issue_key": "OTHER-1" })), Ok(()));
    }
}
