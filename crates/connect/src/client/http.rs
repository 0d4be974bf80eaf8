//! MCP over HTTP, with a server that may be anybody.
//!
//! rmcp's own client reads answers of any length and tells a refusal from a lost connection by words alone. This one
//! reads no more than it is told to, takes nothing to another host, and says what became of a message.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use domain::ports::{Happened, PortErrorKind};
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::SseRetryPolicy;
use rmcp::transport::common::http_header::HEADER_SESSION_ID;
use rmcp::transport::streamable_http_client::{
    HttpStatusError, SseError, StreamableHttpClient, StreamableHttpClientTransportConfig,
    StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

use crate::tls::{authorities, choose_provider};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

type Failure = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// Redirects are not followed: they would take the token along.
pub(super) fn transport(
    url: &str,
    headers: &BTreeMap<String, String>,
    trusted: Option<&Path>,
    timeout: Duration,
    largest: usize,
) -> Result<StreamableHttpClientTransport<Bounded>, String> {
    choose_provider();
    let mut client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(timeout);
    if let Some(file) = trusted {
        client = client.tls_certs_merge(authorities(file).map_err(|error| error.to_string())?);
    }
    let client = client.build().map_err(|error| error.without_url().to_string())?;
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let unfit = |_| format!("the header {} cannot be sent", domain::text::short_line(name));
        let mut value = HeaderValue::from_str(value).map_err(|_| unfit(()))?;
        value.set_sensitive(true);
        custom.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| unfit(()))?, value);
    }
    let mut config =
        StreamableHttpClientTransportConfig::with_uri(url).custom_headers(custom).max_sse_event_size(largest);
    config.retry_config = Arc::new(AFewTimes);
    Ok(StreamableHttpClientTransport::with_client(Bounded { client, largest }, config))
}

/// How often a stream that broke off is asked to go on.
#[derive(Debug)]
struct AFewTimes;

impl SseRetryPolicy for AFewTimes {
    fn retry(&self, times: usize) -> Option<Duration> {
        (times < 3).then_some(Duration::from_millis(500))
    }
}

/// A client that reads no answer beyond a length.
#[derive(Debug, Clone)]
pub(super) struct Bounded {
    client: reqwest::Client,
    largest: usize,
}

impl StreamableHttpClient for Bounded {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let response = self.post(&uri, &message, session.as_deref(), headers).await?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && session.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        let given = text_of(response.headers(), HEADER_SESSION_ID);
        let is_of = |kind: &str| response.headers().get(CONTENT_TYPE).is_some_and(|is| is_kind(is, kind));
        match (status.is_success(), is_of(EVENTS), is_of(JSON)) {
            (true, true, _) => Ok(StreamableHttpPostResponse::Sse(self.events(response), given)),
            (true, false, is_json) => match self.message(response).await? {
                Some(answer) if is_json => Ok(StreamableHttpPostResponse::Json(answer, given)),
                // Nobody waits for an answer to these.
                _ if !matches!(message, ClientJsonRpcMessage::Request(_)) => {
                    Ok(StreamableHttpPostResponse::Accepted)
                }
                _ => Err(unexpected("the answer is no message of the protocol")),
            },
            (false, _, _) => self.refused(message, response).await,
        }
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
        _: usize,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.post_message(uri, message, session, token, headers).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure> {
        self.client.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let largest = self.largest;
        self.client.get_stream_with_max_sse_event_size(uri, session, last, token, headers, largest).await
    }
}

impl Bounded {
    async fn post(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        headers: Headers,
    ) -> Result<Response, Failure> {
        let mut request = self.client.post(uri).headers(headers.into_iter().collect());
        if let Some(session) = session {
            request = request.header(HEADER_SESSION_ID, session);
        }
        let request = request.header(ACCEPT, format!("{EVENTS}, {JSON}")).json(message);
        Ok(request.send().await?)
    }

    /// Some servers explain a refusal in the protocol's own words.
    async fn refused(
        &self,
        message: ClientJsonRpcMessage,
        response: Response,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let status = response.status();
        let retry_after = text_of(response.headers(), RETRY_AFTER.as_str());
        let failure = StreamableHttpError::from(HttpStatusError::new(status.as_u16(), retry_after));
        let is_final = matches!(status.as_u16(), 401 | 403 | 429) || status.is_redirection();
        if is_final {
            return Err(failure);
        }
        let said = match self.message(response).await? {
            Some(ServerJsonRpcMessage::Error(error)) => Some(error),
            _ => None,
        };
        match (asks_what_is_spoken(&message), said) {
            // Servers that do not know the question are asked in the older way. They cannot always say whose it was.
            (Some(id), said) if status.is_client_error() => {
                let unknown = || ErrorData::invalid_request(format!("HTTP {}", status.as_u16()), None);
                let error = said.map_or_else(unknown, |said| said.error);
                Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(error, Some(id)), None))
            }
            (_, Some(error)) => {
                Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), None))
            }
            (_, None) => Err(failure),
        }
    }

    /// What the body says, if it is a message.
    async fn message(&self, mut response: Response) -> Result<Option<ServerJsonRpcMessage>, Failure> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if body.len() + chunk.len() > self.largest {
                return Err(unexpected(&too_long(self.largest)));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(serde_json::from_slice(&body).ok())
    }

    /// The answer may come after other messages, all of which count.
    fn events(&self, response: Response) -> BoxStream<'static, Result<Sse, SseError>> {
        let (mut left, largest) = (self.largest, self.largest);
        let chunks = response.bytes_stream().map(move |chunk| {
            let chunk = chunk.map_err(|error| io::Error::other(error.without_url()))?;
            let rest = left.checked_sub(chunk.len());
            left = rest.ok_or_else(|| io::Error::other(too_long(largest)))?;
            Ok::<_, io::Error>(chunk)
        });
        SseStream::from_bytes_stream(chunks).boxed()
    }
}

/// The id of the question which revision a server speaks.
fn asks_what_is_spoken(message: &ClientJsonRpcMessage) -> Option<rmcp::model::RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request) => match request.request {
            ClientRequest::DiscoverRequest(_) => Some(request.id.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn is_kind(header: &HeaderValue, kind: &str) -> bool {
    header.as_bytes().get(..kind.len()).is_some_and(|start| start.eq_ignore_ascii_case(kind.as_bytes()))
}

fn text_of(headers: &HeaderMap, name: &str) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}

fn too_long(largest: usize) -> String {
    format!("the answer is longer than {largest} bytes")
}

fn unexpected(reason: &str) -> Failure {
    StreamableHttpError::UnexpectedServerResponse(reason.to_owned().into())
}

/// What became of a message that could not be delivered, or was not answered as it should have been.
pub(super) struct Delivery {
    pub(super) kind: PortErrorKind,
    pub(super) reason: String,
    pub(super) hint: &'static str,
    /// Whether the connection is of no use any more.
    pub(super) is_gone: bool,
}

/// `None` for an error that has nothing to do with HTTP.
pub(super) fn delivery(error: &(dyn std::error::Error + 'static), happened: Happened) -> Option<Delivery> {
    let failure = error.downcast_ref::<Failure>()?;
    let told = |kind: PortErrorKind, reason: &str, hint: &'static str| {
        Some(Delivery { kind, reason: reason.to_owned(), hint, is_gone: false })
    };
    match failure {
        StreamableHttpError::HttpStatus(refused) => Some(of_status(refused, happened)),
        StreamableHttpError::UnexpectedServerResponse(reason) => told(PortErrorKind::Unreadable, reason, ""),
        StreamableHttpError::SessionExpired => Some(Delivery {
            kind: PortErrorKind::Unavailable(Happened::Not),
            reason: "the server has forgotten our session".to_owned(),
            hint: "",
            is_gone: true,
        }),
        StreamableHttpError::Client(error) => {
            let happened = if error.is_connect() { Happened::Not } else { happened };
            Some(Delivery {
                kind: PortErrorKind::Unavailable(happened),
                reason: innermost(error),
                hint: "check the address, the proxy and the certificates",
                is_gone: true,
            })
        }
        _ => None,
    }
}

fn of_status(refused: &HttpStatusError, happened: Happened) -> Delivery {
    let (kind, what, hint) = match refused.status {
        401 | 403 => {
            (PortErrorKind::Unauthorised, "does not accept our header", "check the variable in its header")
        }
        429 => {
            let seconds = refused.retry_after.as_deref().and_then(|value| value.trim().parse().ok());
            let retry_after = seconds.map(Duration::from_secs);
            (PortErrorKind::RateLimited { retry_after }, "takes no more requests for now", "try again later")
        }
        300..=399 => (
            PortErrorKind::NotConfigured,
            "redirects, and our header is not sent anywhere else",
            "name the address that it redirects to",
        ),
        400..=499 => {
            (PortErrorKind::NotConfigured, "does not serve MCP at this address", "check the address")
        }
        _ => (PortErrorKind::Unavailable(happened), "failed", "try again in a minute"),
    };
    let reason = format!("the server {what} (HTTP {})", refused.status);
    Delivery { kind, reason, hint, is_gone: false }
}

/// The last cause says what happened; those before say where, and an address may hold a password.
fn innermost(error: &reqwest::Error) -> String {
    let mut cause = std::error::Error::source(error);
    let mut text = None;
    while let Some(inner) = cause {
        (text, cause) = (Some(inner.to_string()), inner.source());
    }
    match (text, error.is_timeout()) {
        (_, true) => "the server does not answer in time".to_owned(),
        (Some(text), false) => text,
        (None, false) => "the connection broke".to_owned(),
    }
}
