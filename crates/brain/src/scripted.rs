//! Minds that say what a test wants, and changes for them to look at.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use domain::change::{
    Attributes, Change, Content, FileChange, FileSide, Hunk, Mode, RepoPath, Scope, Side, Span, Status,
    Target,
};
use domain::config::Config;
use domain::ports::{ReviewRequest, SourceError, Sources};
use domain::review::{Anchor, Confidence, Finding, Fingerprint, Place, Usage};
use domain::words::{Category, Severity};
use domain::work::WorkOrder;
use serde_json::{Value, json};

use crate::call::{Answer, Call, CallError, Ended, Message, Mind};
use crate::clean::Redact;

type Script = dyn Fn(usize, &Call) -> Result<Answer, CallError> + Send + Sync;

/// Answers by a script that is given the number of the call, from 0, and the call. Keeps all calls.
pub(crate) struct Scripted {
    name: String,
    models: Vec<String>,
    script: Box<Script>,
    pub(crate) calls: Mutex<Vec<Call>>,
    pub(crate) at_once: Mutex<(usize, usize)>,
    pause: Duration,
    number: AtomicUsize,
}

impl Scripted {
    pub(crate) fn new(
        script: impl Fn(usize, &Call) -> Result<Answer, CallError> + Send + Sync + 'static,
    ) -> Self {
        Scripted {
            name: "model".to_owned(),
            models: vec!["model".to_owned()],
            script: Box::new(script),
            calls: Mutex::default(),
            at_once: Mutex::default(),
            pause: Duration::ZERO,
            number: AtomicUsize::new(0),
        }
    }

    /// Says the same every time.
    pub(crate) fn saying(text: impl Into<String>) -> Self {
        let text = text.into();
        Scripted::new(move |_, _| Ok(said(&text)))
    }

    pub(crate) fn called(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Several models, of which `script` is told the one that is asked: the first that is not passed over.
    pub(crate) fn of_models(
        models: &[&str],
        script: impl Fn(&str) -> Result<String, CallError> + Send + Sync + 'static,
    ) -> Self {
        let models: Vec<_> = models.iter().map(|&name| name.to_owned()).collect();
        let listed = models.clone();
        let ask = move |_: usize, call: &Call| {
            let model = listed.iter().find(|model| !call.passing_over.contains(model)).unwrap();
            script(model).map(|text| Answer { model: model.clone(), ..said(&text) })
        };
        Scripted { name: models.join(", "), models, ..Scripted::new(ask) }
    }

    pub(crate) fn slow(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }
}

impl Mind for Scripted {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn models(&self) -> Vec<String> {
        self.models.clone()
    }

    async fn ask(&self, call: &Call) -> Result<Answer, CallError> {
        let number = self.number.fetch_add(1, Ordering::SeqCst);
        self.calls.lock().unwrap().push(call.clone());
        {
            let mut at_once = self.at_once.lock().unwrap();
            at_once.0 += 1;
            at_once.1 = at_once.1.max(at_once.0);
        }
        tokio::time::sleep(self.pause).await;
        self.at_once.lock().unwrap().0 -= 1;
        (self.script)(number, call)
    }
}

pub(crate) fn said(text: &str) -> Answer {
    Answer {
        text: text.to_owned(),
        tool_calls: Vec::new(),
        ended: Ended::Complete,
        model: "scripted:one".to_owned(),
        usage: Usage { calls: 1, input_tokens: 100, output_tokens: 10, cost_micro_usd: Some(5) },
        cached: false,
    }
}

/// A complete answer with these findings.
pub(crate) fn report(findings: &[Value]) -> String {
    let verdict = if findings.is_empty() { "pass" } else { "fail" };
    json!({
        "summary": "Looked at it.",
        "findings": findings,
        "dimension_scores": {
            "requirement_adherence": 95, "coordination_compliance": 96, "code_quality": 97,
            "pattern_consistency": 98, "test_quality": 99, "security_performance": 100,
        },
        "verdict": verdict,
    })
    .to_string()
}

/// One finding as a model writes it.
pub(crate) fn entry(file: &str, line: u32, quote: &str, severity: &str, message: &str) -> Value {
    json!({
        "file": file, "line": line, "end_line": null, "quote": quote, "severity": severity,
        "category": "correctness", "dimension": "requirement_adherence", "confidence": "high",
        "message": message, "impact": null, "suggestion": "Correct it",
    })
}

pub(crate) fn finding(path: &str, line: u32, message: &str) -> Finding {
    Finding {
        rule: "model".into(),
        severity: Severity::Major,
        category: Category::Correctness,
        dimension: Category::Correctness.dimension(),
        confidence: Confidence::High,
        place: Place::Lines(Anchor {
            path: path.into(),
            side: Side::New,
            start: line,
            end: line,
            text: "x".into(),
        }),
        message: message.into(),
        impact: String::new(),
        suggestion: String::new(),
        fingerprint: Fingerprint::default(),
    }
}

/// Modified files with their hunks as git prints them.
pub(crate) fn change(files: &[(&str, &str)]) -> Change {
    let file = |(path, diff): &(&str, &str)| {
        let side = FileSide { path: (*path).into(), mode: Mode::File, oid: None };
        FileChange {
            status: Status::Modified,
            old: Some(side.clone()),
            new: Some(side),
            content: Content::Text(hunks(diff)),
            attributes: Attributes::default(),
        }
    };
    Change {
        scope: Scope {
            base: None,
            base_name: "main".into(),
            head: Target::Worktree,
            head_name: "topic".into(),
            notes: vec![],
        },
        files: files.iter().map(file).collect(),
    }
}

fn hunks(diff: &str) -> Vec<Hunk> {
    let mut hunks: Vec<(Span, Span, String, String)> = Vec::new();
    for line in diff.split_inclusive('\n') {
        match line.strip_prefix("@@ ") {
            Some(header) => {
                let (spans, heading) = header.split_once(" @@").unwrap();
                let (old, new) = spans.split_once(' ').unwrap();
                hunks.push((span(&old[1..]), span(&new[1..]), heading.trim().to_owned(), String::new()));
            }
            None => hunks.last_mut().unwrap().3.push_str(line),
        }
    }
    hunks.into_iter().map(|(old, new, heading, body)| Hunk::new(old, new, heading, body.into())).collect()
}

fn span(text: &str) -> Span {
    let (start, len) = text.split_once(',').unwrap();
    Span { start: start.parse().unwrap(), len: len.parse().unwrap() }
}

/// Files by path, on either side.
#[derive(Default)]
pub(crate) struct Files {
    pub(crate) old: HashMap<String, String>,
    pub(crate) new: HashMap<String, String>,
}

impl Sources for Files {
    fn read(&self, file: &FileChange, side: Side) -> Result<Option<Bytes>, SourceError> {
        self.read_path(file.path(), side)
    }

    fn read_path(&self, path: &RepoPath, side: Side) -> Result<Option<Bytes>, SourceError> {
        let files = match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        };
        Ok(files.get(&path.to_string()).map(|text| Bytes::copy_from_slice(text.as_bytes())))
    }

    fn list_base(&self, _: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        Ok(Vec::new())
    }
}

/// Everything a request is made of.
pub(crate) struct Desk {
    pub(crate) change: Change,
    pub(crate) files: Files,
    pub(crate) config: Config,
    pub(crate) order: WorkOrder,
    pub(crate) known: Vec<Finding>,
}

impl Desk {
    pub(crate) fn new(files: &[(&str, &str)]) -> Desk {
        Desk {
            change: change(files),
            files: Files::default(),
            config: Config::default(),
            order: WorkOrder::default(),
            known: Vec::new(),
        }
    }

    pub(crate) fn request(&self) -> ReviewRequest<'_> {
        ReviewRequest {
            change: &self.change,
            sources: &self.files,
            config: &self.config,
            order: &self.order,
            known: &self.known,
        }
    }
}

pub(crate) const REDACT: Redact = Redact::new(
    |text| text.replace("hunter2", "[redacted]").into(),
    |_, text| text.replace("hunter2", "[redacted]").into(),
);

/// The text of the last thing a call says.
pub(crate) fn asked(call: &Call) -> &str {
    match call.messages.last() {
        Some(Message::User(text)) => text,
        other => panic!("no question: {other:?}"),
    }
}
