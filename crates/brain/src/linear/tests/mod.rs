mod agreement;
mod conversation;
mod large;
mod listed;

use domain::ports::Reviewer;
use domain::review::Evidence;

use super::LinearReviewer;
use crate::scripted::{Desk, REDACT, Scripted};

const DIFF: &str = "@@ -1,2 +1,4 @@ fn a() {\n fn a() {\n+    check(x);\n+    done();\n }\n";

fn desk() -> Desk {
    Desk::new(&[("src/a.rs", DIFF)])
}

fn reviewer(minds: Vec<Scripted>) -> LinearReviewer<Scripted> {
    LinearReviewer::new("model", minds, REDACT)
}

fn review(desk: &Desk, mind: Scripted) -> Evidence {
    reviewer(vec![mind]).review(&desk.request()).unwrap()
}

fn kinds(evidence: &Evidence) -> Vec<&str> {
    evidence.troubles.iter().map(|trouble| trouble.kind.as_str()).collect()
}

/// A change of so many files that it takes several calls; each file has one hunk.
fn several_calls() -> Desk {
    let line = "+    let value = compute_something(with, quite, a_few, arguments);\n".repeat(120);
    let diff = format!("@@ -1,0 +1,120 @@\n{line}");
    let names: Vec<_> = (0..4).map(|number| format!("src/file_{number}.rs")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), diff.as_str())).collect();
    let mut desk = Desk::new(&files);
    desk.config.model.context_tokens = 6_000;
    desk.config.model.output_tokens = 1_000;
    desk
}
