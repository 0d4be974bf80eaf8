use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CancelNotification, ContentBlock, Implementation, InitializeRequest, NewSessionRequest, PromptRequest,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse, SessionId,
    SessionNotification, StopReason, TextContent,
};
use agent_client_protocol::{
    Agent, Client, ConnectTo, Error, is_connection_terminated, is_incoming_transport_closed,
    on_receive_notification, on_receive_request,
};
use domain::text::short_line;
use serde_json::Value;
use tokio::time::timeout;

use super::super::{AgentAnswer, AgentTrouble, Launch, Output, Waiting};
use super::heard::Heard;
use super::permit::{Permission, PermitPolicy, option_for, permit};
use super::transport::{Line, messages};
use crate::process::{Beyond, DRAIN, Ended, Group, Job, Stream, capture, start, when};

const STDERR_LIMIT: usize = 256 * 1024;
/// How long an agent that was told to stop has to say that it did.
const CANCEL_GRACE: Duration = Duration::from_secs(10);
/// How long an agent that does not read has to say why, and one that closed its output to end, so that its exit code
/// can be told.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// One session with one prompt.
pub(super) struct Talk<'a> {
    pub(super) launch: &'a Launch,
    /// Without one, the agent introduces itself and no session is opened.
    pub(super) prompt: Option<&'a str>,
    pub(super) policy: PermitPolicy,
    /// How long it may take to introduce itself and to open the session.
    pub(super) patience: Duration,
    pub(super) waiting: Waiting<'a>,
}

/// Why a session came to no end of its own.
enum Broken {
    Because(AgentTrouble),
    /// The agent closed its output, or did not read what was asked.
    Lost,
}

/// Starts the agent, talks with it, and ends it. Nothing of it is left when this returns; if the future is dropped, its
/// process group is ended in the background.
pub(super) async fn hold(job: Job<'_>, talk: &Talk<'_>) -> Result<AgentAnswer, AgentTrouble> {
    let not_run = |error: std::io::Error| AgentTrouble::NotRun(error.to_string());
    let mut group = start(&job).map_err(|error| AgentTrouble::NotRun(error.to_string()))?;
    let (input, output, error) = group.pipes().map_err(not_run)?;
    let (line, heard) = (Line::default(), Mutex::new(Heard::default()));
    let mut stderr = Vec::new();
    let (talked, ended) = {
        let read_error =
            capture(Stream::Error, error, &mut stderr, STDERR_LIMIT, Beyond::Discard, job.on_line);
        let work = async {
            let talked = talk.over(messages(&line, input, output), &line, job.timeout, &heard).await;
            let ended = end(&mut group, &talked).await;
            (talked, ended)
        };
        tokio::pin!(read_error, work);
        let mut error_read = false;
        let done = loop {
            tokio::select! {
                _ = &mut read_error, if !error_read => error_read = true,
                done = &mut work => break done,
            }
        };
        if !error_read && matches!(done, (_, Ok(Some(_)))) {
            let _ = timeout(DRAIN, read_error).await;
        }
        done
    };
    let ended = ended.map_err(not_run)?;
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    if let Some(trouble) = line.trouble() {
        return Err(trouble);
    }
    match talked {
        Ok(StopReason::EndTurn) => heard
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .into_answer()
            .ok_or(AgentTrouble::Empty),
        Ok(StopReason::MaxTokens) => Err(AgentTrouble::OutOfBudget("its tokens")),
        Ok(StopReason::MaxTurnRequests) => Err(AgentTrouble::OutOfBudget("its number of requests")),
        Ok(StopReason::Refusal) => Err(AgentTrouble::Refused),
        Ok(StopReason::Cancelled) => Err(AgentTrouble::Cancelled),
        Ok(_) => Err(AgentTrouble::Unreadable("a reason to stop that is not known".into())),
        Err(Broken::Because(trouble)) => Err(with_chatter(trouble, &line)),
        Err(Broken::Lost) => Err(talk.lost(ended, stderr, &line)),
    }
}

/// Ends the agent. One that hung up is given the time to end by itself, and then says how it did.
async fn end(group: &mut Group, talked: &Result<StopReason, Broken>) -> std::io::Result<Option<Ended>> {
    if matches!(talked, Err(Broken::Lost))
        && let Ok(ended) = timeout(LAST_WORDS, group.ended()).await
    {
        return ended.map(Some);
    }
    group.finish().await?;
    Ok(None)
}

/// Somebody who is silent in the protocol may have said why in plain words.
fn with_chatter(trouble: AgentTrouble, line: &Line) -> AgentTrouble {
    match (trouble, line.chatter()) {
        (AgentTrouble::Silent(_), Some(said)) => AgentTrouble::Unreadable(said),
        (trouble, _) => trouble,
    }
}

impl Talk<'_> {
    fn lost(&self, ended: Option<Ended>, stderr: String, line: &Line) -> AgentTrouble {
        let exit = match ended {
            Some(Ended::Exited(exit)) => exit,
            Some(Ended::Killed(signal)) => 128 + signal,
            Some(Ended::TimedOut | Ended::Flooded | Ended::GivenUp) | None => {
                return AgentTrouble::Unreadable("it hung up in the middle of the session".into());
            }
        };
        if let Err(trouble) = self.launch.told_by_the_warden(exit, &stderr) {
            return trouble;
        }
        let stdout = line.chatter().unwrap_or_default();
        Output { exit, stdout, stderr, answer_file: None }.without_result()
    }

    async fn over(
        &self,
        transport: impl ConnectTo<Client> + 'static,
        line: &Line,
        limit: Duration,
        heard: &Mutex<Heard>,
    ) -> Result<StopReason, Broken> {
        let cancelled = AtomicBool::new(false);
        let talked = Client
            .v1()
            .name("countersign")
            .on_receive_notification(
                async |update: SessionNotification, _| {
                    let told = lock(heard).update(update.update);
                    told.iter().for_each(|line| (self.waiting.progress)(line));
                    Ok(())
                },
                on_receive_notification!(),
            )
            .on_receive_request(
                async |request: RequestPermissionRequest, responder, _| {
                    let outcome = if cancelled.load(Ordering::Relaxed) {
                        RequestPermissionOutcome::Cancelled
                    } else {
                        self.answer(&request, heard)
                    };
                    responder.respond(RequestPermissionResponse::new(outcome))
                },
                on_receive_request!(),
            )
            .connect_with(transport, async |agent: ConnectionTo<Agent>| {
                let done = self.lead(&agent, line, limit, &cancelled, heard).await;
                lock(heard).finish_line().iter().for_each(|line| (self.waiting.progress)(line));
                Ok(done)
            })
            .await;
        talked.unwrap_or(Err(Broken::Lost))
    }

    /// Our side of the session.
    async fn lead(
        &self,
        agent: &ConnectionTo<Agent>,
        line: &Line,
        limit: Duration,
        cancelled: &AtomicBool,
        heard: &Mutex<Heard>,
    ) -> Result<StopReason, Broken> {
        let deadline = tokio::time::Instant::now() + limit;
        let patience = self.patience.min(limit);
        let opened = tokio::select! {
            opened = timeout(patience, self.open(agent, heard)) => opened,
            () = when(self.waiting.given_up) => return Err(Broken::Because(AgentTrouble::GivenUp)),
            () = hung_up(line) => return Err(Broken::Lost),
        };
        let silent = |_| Broken::Because(AgentTrouble::Silent(patience.as_secs()));
        let Some((session, prompt)) = opened.map_err(silent)?? else { return Ok(StopReason::EndTurn) };
        let text = ContentBlock::Text(TextContent::new(prompt));
        let answer = agent.send_request(PromptRequest::new(session.clone(), vec![text])).block_task();
        tokio::pin!(answer);
        let trouble = tokio::select! {
            answer = &mut answer => return answer.map(|answer| answer.stop_reason).map_err(broken),
            () = hung_up(line) => return Err(Broken::Lost),
            () = tokio::time::sleep_until(deadline) => AgentTrouble::TimedOut(limit.as_secs()),
            () = when(self.waiting.given_up) => AgentTrouble::GivenUp,
        };
        cancelled.store(true, Ordering::Relaxed);
        if agent.send_notification(CancelNotification::new(session)).is_ok() {
            let _ = timeout(CANCEL_GRACE, &mut answer).await;
        }
        Err(Broken::Because(trouble))
    }

    /// The session and what is to be asked in it, if anything is.
    async fn open(
        &self,
        agent: &ConnectionTo<Agent>,
        heard: &Mutex<Heard>,
    ) -> Result<Option<(SessionId, &str)>, Broken> {
        let ourselves = Implementation::new("countersign", env!("CARGO_PKG_VERSION"));
        let hello = InitializeRequest::new(ProtocolVersion::V1).client_info(ourselves);
        let theirs = agent.send_request(hello).block_task().await.map_err(broken)?;
        if theirs.protocol_version != ProtocolVersion::V1 {
            let version = format!("version {} of the protocol, of which 1 is known", theirs.protocol_version);
            return Err(Broken::Because(AgentTrouble::Unreadable(version)));
        }
        let Some(prompt) = self.prompt else {
            let name = theirs.agent_info.map(|info| format!("{} {}", info.name, info.version));
            lock(heard).introduced_as(name.unwrap_or_else(|| "without a name".to_owned()));
            return Ok(None);
        };
        let mut session = NewSessionRequest::new(self.policy.worktree.clone());
        session.meta = self.launch.agent.acp_session().as_object().cloned();
        let session = agent.send_request(session).block_task().await.map_err(broken)?;
        Ok(Some((session.session_id, prompt)))
    }

    fn answer(&self, request: &RequestPermissionRequest, heard: &Mutex<Heard>) -> RequestPermissionOutcome {
        let mut heard = lock(heard);
        let request = heard.complete(request);
        let permission = permit(&request, &self.policy);
        let outcome = option_for(permission, &request.options);
        let told = match permission {
            Permission::AllowOnce => None,
            Permission::Reject(reason) => Some(heard.deny(&request, reason)),
        };
        drop(heard);
        if let Some(told) = told {
            (self.waiting.progress)(&format!("refused: {told}"));
        }
        outcome
    }
}

/// Ready when no answer can come any more and everything else was listened to.
async fn hung_up(line: &Line) {
    line.undelivered().await;
    tokio::time::sleep(LAST_WORDS).await;
}

fn broken(error: Error) -> Broken {
    if is_incoming_transport_closed(&error) || is_connection_terminated(&error) {
        return Broken::Lost;
    }
    let data = error.data.as_ref().map(|data| match data {
        Value::String(text) => text.clone(),
        data => data.to_string(),
    });
    let said = match data {
        Some(data) => format!("{}: {data}", error.message),
        None => error.message,
    };
    Broken::Because(AgentTrouble::Reported(short_line(&said)))
}

fn lock(heard: &Mutex<Heard>) -> std::sync::MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}
