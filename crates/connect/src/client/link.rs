use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::ports::{Happened, PortError, PortErrorKind};
use domain::tools::{Effect as ToolEffect, McpTool};
use rmcp::model::{CallToolRequestParams, PaginatedRequestParams, ProtocolVersion, Tool};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, RunningService, ServiceError, serve_client_with_lifecycle,
};
use rmcp::{RoleClient, model::CallToolResult};
use serde_json::Value;
use tokio::io::DuplexStream;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::answer::Answer;
use super::child::{self, Process};
use super::entry::ServerEntry;
use super::http;
use super::lines::Lines;
use super::refusal::{refusal, unreadable, with_action};
use super::secrets::Secrets;
use super::tail::Tail;
use super::words::{unanswered, unopened};
use crate::waiting::Heard;

/// Whether a call changes anything, as far as we know ourselves. It decides what an answer that never came means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Reads,
    Writes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For starting a server and for agreeing on a protocol.
    pub start: Duration,
    /// For one call.
    pub call: Duration,
    /// Of one answer, in bytes.
    pub answer: usize,
    /// Tools that a server may list.
    pub tools: usize,
}

impl Limits {
    /// Of a message: an answer may be in it twice, as text and as data, and each of its characters may be escaped.
    fn message(&self) -> usize {
        self.answer.saturating_mul(4).saturating_add(64 * 1024)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            start: Duration::from_secs(60),
            call: Duration::from_secs(120),
            answer: 16 * 1024 * 1024,
            tools: 1_000,
        }
    }
}

/// Makes a server within this process and hands over our end of the line to it.
pub type InProcess = Box<dyn Fn() -> DuplexStream + Send + Sync>;

/// Where a server is.
pub enum Source {
    Entry(ServerEntry),
    InProcess(InProcess),
}

/// A line to one server. It is opened by the first call and opened again, once, when it turns out to be dead.
pub struct Link {
    name: String,
    source: Source,
    limits: Limits,
    secrets: Secrets,
    heard: Option<Heard>,
    line: Mutex<Option<Arc<Line>>>,
}

/// An open line. The process goes with it.
struct Line {
    service: RunningService<RoleClient, ()>,
    tools: BTreeMap<String, Tool>,
    tail: Option<Tail>,
    _process: Option<Process>,
}

impl Link {
    /// `name` is how errors call the server.
    pub fn new(name: &str, source: Source, limits: Limits) -> Link {
        let secrets = match &source {
            Source::Entry(entry) => Secrets::of(entry),
            Source::InProcess(_) => Secrets::default(),
        };
        Link { name: name.to_owned(), source, limits, secrets, heard: None, line: Mutex::new(None) }
    }

    /// With somebody who is told what the server waits for, if it is a program of ours.
    pub fn telling(self, heard: Option<Heard>) -> Link {
        Link { heard, ..self }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the server lists, in our words.
    pub async fn tools(&self) -> Result<Vec<McpTool>, PortError> {
        let line = self.line("list tools").await?;
        Ok(line.tools.values().map(described).collect())
    }

    /// Whether the server has a tool of this name.
    pub async fn has(&self, tool: &str) -> Result<bool, PortError> {
        Ok(self.line("list tools").await?.tools.contains_key(tool))
    }

    /// Calls a tool. A call that only reads is made again if the server died under it; one that writes never is.
    pub async fn call(
        &self,
        action: &str,
        tool: &str,
        arguments: Value,
        effect: Effect,
    ) -> Result<Answer, PortError> {
        let answer = self.call_once(action, tool, &arguments, effect).await;
        let died = matches!(answer, Err(Failure::Died(_)));
        let answer = match (died, effect) {
            (true, Effect::Reads) => self.call_once(action, tool, &arguments, effect).await,
            (true, Effect::Writes) | (false, _) => answer,
        };
        answer.map_err(|failure| {
            let error = match failure {
                Failure::Died(error) | Failure::Said(error) => error,
            };
            PortError::new(error.kind, action, &self.masked(&error.reason), &self.masked(&error.hint))
        })
    }

    /// The same without anything that the server was given to prove who we are.
    pub fn masked(&self, text: &str) -> String {
        self.secrets.mask(text)
    }

    async fn call_once(
        &self,
        action: &str,
        tool: &str,
        arguments: &Value,
        effect: Effect,
    ) -> Result<Answer, Failure> {
        let line = self.line(action).await.map_err(Failure::Said)?;
        if !line.tools.contains_key(tool) {
            return Err(Failure::Said(self.missing(action, tool)));
        }
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let happened = match effect {
            Effect::Reads => Happened::Not,
            Effect::Writes => Happened::Maybe,
        };
        let lost = |reason: &str| self.lost(&line, reason, happened);
        match timeout(self.limits.call, line.service.call_tool(params)).await {
            Ok(Ok(result)) => self.answered(&result, effect).map_err(Failure::Said),
            Ok(Err(ServiceError::TransportSend(error))) => {
                let delivery = http::delivery(error.error.as_ref(), happened);
                if delivery.as_ref().is_none_or(|delivery| delivery.is_gone) {
                    self.hang_up(&line).await;
                }
                Err(delivery.map_or_else(|| Failure::Died(lost("the server is gone")), Failure::of))
            }
            Ok(Err(ServiceError::TransportClosed)) => {
                self.hang_up(&line).await;
                Err(Failure::Died(lost("the server is gone")))
            }
            Ok(Err(ServiceError::McpError(error))) => {
                Err(Failure::Said(refusal(None, &error.message, effect, &self.secrets)))
            }
            Ok(Err(other)) => Err(Failure::Said(lost(&self.masked(&unanswered(&other))))),
            Err(_) => Err(Failure::Said(lost(&format!("no answer within {} s", self.limits.call.as_secs())))),
        }
    }

    /// The next call opens another.
    async fn hang_up(&self, line: &Arc<Line>) {
        self.line.lock().await.take_if(|open| Arc::ptr_eq(open, line));
    }

    fn answered(&self, result: &CallToolResult, effect: Effect) -> Result<Answer, PortError> {
        let answer = Answer::of(result, self.limits.answer, &self.secrets)?;
        match result.is_error {
            Some(true) => Err(refusal(answer.value(), answer.text(), effect, &self.secrets)),
            Some(false) | None => Ok(answer),
        }
    }

    fn lost(&self, line: &Line, reason: &str, happened: Happened) -> PortError {
        let words = line.tail.as_ref().and_then(Tail::last_words);
        let reason =
            words.map_or_else(|| reason.to_owned(), |words| format!("{reason}; it last said: {words}"));
        PortError::new(
            PortErrorKind::Unavailable(happened),
            "",
            &reason,
            "see whether the server runs by itself",
        )
    }

    /// An error that names what is missing.
    pub fn missing(&self, action: &str, tool: &str) -> PortError {
        PortError::new(
            PortErrorKind::MissingTool,
            action,
            &format!("the MCP server {} has no tool {tool}", self.name),
            "use a server or a version of it that has the tool, or another profile",
        )
    }

    async fn line(&self, action: &str) -> Result<Arc<Line>, PortError> {
        let mut line = self.line.lock().await;
        if let Some(open) = line.as_ref().filter(|open| !open.service.is_transport_closed()) {
            return Ok(Arc::clone(open));
        }
        let newest = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::LATEST],
            legacy_version: None,
        };
        let opened = match self.opened(newest).await {
            // An old server that starts slowly answers the question for the newest protocol when nobody waits for that
            // any more, and is not understood then. It is asked again, in the way it knows.
            Err(error) if error.is_transient() => self.opened(ClientLifecycleMode::Initialize).await,
            opened => opened,
        };
        let opened = opened.map_err(|error| {
            let reason =
                format!("the MCP server {} cannot be used: {}", self.name, self.secrets.mask(&error.reason));
            PortError::new(error.kind, action, &reason, &error.hint)
        })?;
        let opened = Arc::new(opened);
        *line = Some(Arc::clone(&opened));
        Ok(opened)
    }

    async fn opened(&self, lifecycle: ClientLifecycleMode) -> Result<Line, PortError> {
        timeout(self.limits.start, self.open(lifecycle)).await.unwrap_or_else(|_| {
            Err(PortError::new(
                PortErrorKind::Unavailable(Happened::Not),
                "",
                &format!("it did not start within {} s", self.limits.start.as_secs()),
                "",
            ))
        })
    }

    async fn open(&self, lifecycle: ClientLifecycleMode) -> Result<Line, PortError> {
        let mut tail = None;
        let mut process = None;
        let started = match &self.source {
            Source::InProcess(make) => serve_client_with_lifecycle((), make(), lifecycle).await,
            Source::Entry(ServerEntry::Stdio { command, args, env }) => {
                let (child, pipes) =
                    child::start(command, args, env, self.secrets.clone(), self.heard.clone())
                        .map_err(|error| not_startable(command, &error))?;
                process = Some(child);
                tail = Some(pipes.tail);
                let stdout = Lines::new(pipes.stdout, self.limits.message());
                serve_client_with_lifecycle((), (stdout, pipes.stdin), lifecycle).await
            }
            Source::Entry(ServerEntry::Http { url, headers, trusted }) => {
                let (start, largest) = (self.limits.start, self.limits.message());
                let transport = http::transport(url, headers, trusted.as_deref(), start, largest)
                    .map_err(|reason| PortError::new(PortErrorKind::NotConfigured, "", &reason, ""))?;
                serve_client_with_lifecycle((), transport, lifecycle).await
            }
        };
        let service = started.map_err(|error| {
            if let Some(delivery) = undelivered(&error) {
                return PortError::new(delivery.kind, "", &delivery.reason, delivery.hint);
            }
            let words =
                tail.as_ref().and_then(Tail::last_words).map(|words| format!("; it last said: {words}"));
            let error = self.masked(&unopened(&error));
            let reason = format!("no protocol was agreed on: {error}{}", words.unwrap_or_default());
            PortError::new(
                PortErrorKind::Unavailable(Happened::Not),
                "",
                &reason,
                "see whether it runs by itself",
            )
        })?;
        let tools = self.listed(&service).await?;
        Ok(Line { service, tools, tail, _process: process })
    }

    /// No more tools and no more pages than there may be: a server could go on for ever.
    async fn listed(
        &self,
        service: &RunningService<RoleClient, ()>,
    ) -> Result<BTreeMap<String, Tool>, PortError> {
        let mut tools = BTreeMap::new();
        let mut cursor = None;
        for _ in 0..self.limits.tools {
            let page = PaginatedRequestParams::default().with_cursor(cursor);
            let page = service.list_tools(Some(page)).await.map_err(|error| {
                unreadable("", &format!("it does not list its tools: {}", self.masked(&unanswered(&error))))
            })?;
            tools.extend(page.tools.into_iter().map(|tool| (tool.name.to_string(), tool)));
            cursor = page.next_cursor;
            match (tools.len() > self.limits.tools, &cursor) {
                (false, None) => return Ok(tools),
                (false, Some(_)) => {}
                (true, _) => break,
            }
        }
        Err(unreadable("", &format!("it lists more than {} tools", self.limits.tools)))
    }
}

/// Why there is no answer.
enum Failure {
    /// The server was gone before or while it was asked.
    Died(PortError),
    Said(PortError),
}

impl Failure {
    fn of(delivery: http::Delivery) -> Failure {
        let error = PortError::new(delivery.kind, "", &delivery.reason, delivery.hint);
        if delivery.is_gone { Failure::Died(error) } else { Failure::Said(error) }
    }
}

/// Why not even the first words came through, where that is HTTP's to say.
fn undelivered(error: &ClientInitializeError) -> Option<http::Delivery> {
    match error {
        ClientInitializeError::TransportError { error, .. } => {
            http::delivery(error.error.as_ref(), Happened::Not)
        }
        ClientInitializeError::LegacyFallbackFailed { discover, fallback } => {
            undelivered(fallback).or_else(|| undelivered(discover))
        }
        _ => None,
    }
}

fn not_startable(command: &str, error: &std::io::Error) -> PortError {
    let hint = format!("install {} or name it by its path", domain::text::short_line(command));
    with_action(
        PortError::new(PortErrorKind::NotConfigured, "", &format!("it cannot be started: {error}"), &hint),
        "",
    )
}

fn described(tool: &Tool) -> McpTool {
    let hints = tool.annotations.as_ref();
    let read_only = hints.and_then(|hints| hints.read_only_hint);
    let destructive = hints.and_then(|hints| hints.destructive_hint);
    let effect = match (read_only, destructive) {
        (Some(true), _) => ToolEffect::ReadOnly,
        (_, Some(true)) => ToolEffect::Destroys,
        (Some(false), _) | (None, Some(false)) => ToolEffect::Writes,
        (None, None) => ToolEffect::Unknown,
    };
    McpTool {
        name: tool.name.to_string(),
        description: tool.description.as_deref().unwrap_or_default().to_owned(),
        input: Value::Object((*tool.input_schema).clone()),
        effect,
    }
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("name", &self.name).finish_non_exhaustive()
    }
}
