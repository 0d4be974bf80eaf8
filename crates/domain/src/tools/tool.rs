use serde_json::Value;

use super::{Denied, Effect, Permission, ToolPolicy, permission};

/// A tool as its server describes it. Not a word of it is to be believed.
#[derive(Debug, Clone, PartialEq)]
pub struct McpTool {
    pub name: String,
    pub description: String,
    /// A JSON schema.
    pub input: Value,
    pub effect: Effect,
}

/// Tools told apart by what a model may do with them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sorted {
    pub permitted: Vec<McpTool>,
    pub denied: Vec<(McpTool, Denied)>,
}

pub fn sort(tools: Vec<McpTool>, policy: &ToolPolicy) -> Sorted {
    let mut sorted = Sorted::default();
    for tool in tools {
        match permission(&tool.name, tool.effect, policy) {
            Permission::Inspect | Permission::Publish => sorted.permitted.push(tool),
            Permission::Denied(why) => sorted.denied.push((tool, why)),
        }
    }
    sorted
}
