mod limits;
mod modes;
mod opinions;
mod tools;

use std::sync::{Arc, Mutex};

use domain::change::{RepoPath, Scope};
use domain::ports::{Reviewer, SourceError};
use domain::review::Evidence;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::{Effect, Equipment, ModelReviewer, Offer, RepositoryView, ToolSource};
use crate::call::{Answer, Call, CallError, Message, Tool, ToolCall};
use crate::linear::Mode;
use crate::scripted::{Desk, REDACT, Scripted, said};

const DIFF: &str = "@@ -1,2 +1,4 @@ fn a() {\n fn a() {\n+    check(x);\n+    done();\n }\n";

fn desk() -> Desk {
    let mut desk = Desk::new(&[("src/a.rs", DIFF)]);
    desk.files.new.insert("src/a.rs".into(), "fn a() {\n    check(x);\n    done();\n}\n".into());
    desk.files.new.insert("src/b.rs".into(), "fn check(x: X) {}\nlet k = \"hunter2\";\n".into());
    desk
}

struct Tree(Vec<&'static str>);

impl RepositoryView for Tree {
    fn files(&self, _: &Scope) -> Result<Vec<RepoPath>, SourceError> {
        Ok(self.0.iter().map(|path| RepoPath::from(*path)).collect())
    }
}

/// A forge that notes what it is asked to do.
struct Forge(Arc<Mutex<Vec<String>>>);

impl ToolSource for Forge {
    fn tools(&self) -> Vec<Offer> {
        let names = ["get_ticket", "add_comment", "merge_request_merge", "read_file"];
        let input = json!({ "type": "object", "properties": { "body": { "type": "string" } } });
        let tool = |name: &str| Tool { name: name.into(), description: String::new(), input: input.clone() };
        names.iter().map(|name| Offer { tool: tool(name), effect: Effect::Unknown }).collect()
    }

    fn execute<'a>(&'a self, call: &'a ToolCall) -> BoxFuture<'a, Result<String, String>> {
        self.0.lock().unwrap().push(call.name.clone());
        Box::pin(async { Ok("ticket text \u{1b}[31m hunter2".to_owned()) })
    }
}

fn wants(calls: &[(&str, Value)]) -> Answer {
    let calls = calls.iter().enumerate().map(|(index, (name, arguments))| ToolCall {
        id: format!("call-{index}"),
        name: (*name).to_owned(),
        arguments: arguments.clone(),
    });
    Answer { tool_calls: calls.collect(), ..said("Looking.") }
}

fn shows_all() -> Answer {
    wants(&[("show_hunk", json!({ "file": "src/a.rs" }))])
}

/// What the tools returned in the turn before this call.
fn results(call: &Call) -> Vec<&str> {
    match call.messages.last() {
        Some(Message::ToolResults(results)) => results.iter().map(|result| result.content.as_str()).collect(),
        other => panic!("no results: {other:?}"),
    }
}

fn equipped(desk: &Desk, mind: Scripted, equipment: Equipment) -> Evidence {
    let reviewer = ModelReviewer::new("model", vec![mind], REDACT).with(equipment).in_mode(Mode::Agentic);
    reviewer.review(&desk.request()).unwrap()
}

fn explore(
    desk: &Desk,
    script: impl Fn(usize, &Call) -> Result<Answer, CallError> + Send + Sync + 'static,
) -> Evidence {
    equipped(desk, Scripted::new(script), Equipment::default())
}

/// The answer to one call of a tool, made in the first turn.
fn returned(desk: &Desk, equipment: Equipment, name: &str, arguments: Value) -> String {
    let heard = Arc::new(Mutex::new(String::new()));
    let (inner, name) = (Arc::clone(&heard), name.to_owned());
    let mind = Scripted::new(move |number, call| {
        if number == 1 {
            results(call)[0].clone_into(&mut inner.lock().unwrap());
        }
        Ok(if number == 0 {
            wants(&[(&name, arguments.clone())])
        } else {
            said(&crate::scripted::report(&[]))
        })
    });
    equipped(desk, mind, equipment);
    heard.lock().unwrap().clone()
}

fn kinds(evidence: &Evidence) -> Vec<&str> {
    evidence.troubles.iter().map(|trouble| trouble.kind.as_str()).collect()
}

fn last_user(call: &Call) -> &str {
    crate::scripted::asked(call)
}
