//! Servers that are reached over HTTP: a real one, with somebody at the door who makes trouble.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use connect::client::{Effect, Limits, Link, ServerEntry, Source};
use domain::ports::{Happened, PortError, PortErrorKind};
use futures_util::stream;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use testkit::Port;

const TOKEN: &str = "s3cret-token-of-ours";

/// Counts how often it was called, and says what it was asked to.
#[derive(Clone, Default)]
struct Counter(Arc<AtomicUsize>);

impl ServerHandler for Counter {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = Arc::new(json!({"type": "object"}).as_object().unwrap().clone());
        let tools = ["count", "fail"].map(|name| Tool::new(name, "", Arc::clone(&schema)));
        Ok(ListToolsResult::with_all_items(tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let count = self.0.fetch_add(1, Ordering::SeqCst) + 1;
        let said = match request.name.as_ref() {
            "count" => CallToolResult::success(vec![ContentBlock::text(json!({"count": count}).to_string())]),
            _ => CallToolResult::error(vec![ContentBlock::text(format!("no, {TOKEN} is no good: 400"))]),
        };
        Ok(said.into())
    }
}

/// What is done to a message instead of, or besides, passing it on.
#[derive(Debug, Clone)]
enum Trouble {
    Status(u16),
    Redirect(String),
    /// Passed on, and never answered.
    Silence,
    /// Not passed on; the answer breaks off.
    CutBefore,
    /// Passed on; the answer breaks off.
    CutAfter,
    Page,
    /// An answer of this kind that does not end.
    Endless(&'static str),
}

struct Site {
    url: String,
    counter: Counter,
    door: Arc<Door>,
}

#[derive(Default)]
struct Door {
    seen: Mutex<Vec<(String, HeaderMap)>>,
    /// For messages of this method, so many times.
    trouble: Mutex<Vec<(&'static str, Trouble, usize)>>,
}

impl Site {
    async fn open() -> Site {
        let (counter, door) = (Counter::default(), Arc::new(Door::default()));
        let handler = counter.clone();
        let sessions = Arc::new(LocalSessionManager::default());
        let config = StreamableHttpServerConfig::default();
        let mcp = StreamableHttpService::new(move || Ok(handler.clone()), sessions, config);
        let router = Router::new()
            .route_service("/mcp", mcp)
            .layer(from_fn_with_state(Arc::clone(&door), at_the_door));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Site { url, counter, door }
    }

    /// One that does not know the newest revision.
    async fn of_the_older_kind() -> Site {
        let site = Site::open().await;
        site.trouble("server/discover", Trouble::Status(400), usize::MAX);
        site
    }

    fn trouble(&self, method: &'static str, trouble: Trouble, times: usize) {
        self.door.trouble.lock().unwrap().push((method, trouble, times));
    }

    fn link(&self, limits: Limits) -> Link {
        let headers = BTreeMap::from([("Authorization".to_owned(), format!("Bearer {TOKEN}"))]);
        let entry = ServerEntry::Http { url: self.url.clone(), headers, trusted: None };
        Link::new("far", Source::Entry(entry), limits)
    }

    fn calls(&self) -> usize {
        self.counter.0.load(Ordering::SeqCst)
    }

    fn seen(&self, method: &str) -> Vec<HeaderMap> {
        let seen = self.door.seen.lock().unwrap();
        seen.iter().filter(|(name, _)| name == method).map(|(_, headers)| headers.clone()).collect()
    }
}

async fn at_the_door(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap();
    let method = match parts.method {
        Method::POST => {
            serde_json::from_slice::<Value>(&body).unwrap()["method"].as_str().unwrap_or("").to_owned()
        }
        ref other => other.to_string(),
    };
    door.seen.lock().unwrap().push((method.clone(), parts.headers.clone()));
    let request = Request::from_parts(parts, Body::from(body));
    let trouble = {
        let mut all = door.trouble.lock().unwrap();
        let found = all.iter_mut().find(|(of, _, times)| *of == method && *times > 0);
        found.map(|(_, trouble, times)| {
            *times -= 1;
            trouble.clone()
        })
    };
    let events = |body: Body| ([("content-type", "text/event-stream")], body).into_response();
    let broken = || {
        let pieces: [Result<Bytes, std::io::Error>; 2] =
            [Ok(Bytes::from_static(b"data: {\"jsonrpc\"")), Err(std::io::Error::other("cut"))];
        events(Body::from_stream(stream::iter(pieces)))
    };
    match trouble {
        None => next.run(request).await,
        Some(Trouble::Status(status)) => {
            let challenge = format!("Bearer error=\"{TOKEN}\"");
            let headers = [("retry-after", "7".to_owned()), ("www-authenticate", challenge)];
            (StatusCode::from_u16(status).unwrap(), headers, TOKEN).into_response()
        }
        Some(Trouble::Redirect(to)) => (StatusCode::TEMPORARY_REDIRECT, [("location", to)]).into_response(),
        Some(Trouble::Silence) => {
            next.run(request).await;
            std::future::pending().await
        }
        Some(Trouble::CutBefore) => broken(),
        Some(Trouble::CutAfter) => {
            let answer = next.run(request).await;
            to_bytes(answer.into_body(), 1 << 20).await.unwrap();
            broken()
        }
        Some(Trouble::Page) => ([("content-type", "text/html")], "<html>hello</html>").into_response(),
        Some(Trouble::Endless(kind)) => {
            let piece = Bytes::from(vec![b'x'; 64 * 1024]);
            let endless = stream::repeat_with(move || Ok::<_, std::io::Error>(piece.clone()));
            ([("content-type", kind)], Body::from_stream(endless)).into_response()
        }
    }
}

async fn count(link: &Link, effect: Effect) -> Result<u64, PortError> {
    let answer = link.call("count", "count", json!({}), effect).await?;
    Ok(answer.value().unwrap()["count"].as_u64().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_message_carries_the_token_and_nobody_ever_says_it() {
    let site = Site::open().await;
    let link = site.link(Limits::default());
    assert_eq!(count(&link, Effect::Writes).await, Ok(1));
    let seen = site.door.seen.lock().unwrap().clone();
    assert!(seen.len() >= 3, "{seen:?}");
    for (method, headers) in seen {
        assert_eq!(headers["authorization"], format!("Bearer {TOKEN}"), "{method}");
    }
    let error = link.call("fail", "fail", json!({}), Effect::Writes).await.unwrap_err();
    assert_eq!(error.kind, PortErrorKind::Rejected);
    assert!(error.reason.contains("[masked] is no good"), "{error}");
    site.trouble("tools/call", Trouble::Status(401), 1);
    let refused = count(&link, Effect::Writes).await.unwrap_err();
    for said in [format!("{error:?}"), format!("{refused:?}"), format!("{link:?}")] {
        assert!(!said.contains(TOKEN), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_revision_is_spoken_where_it_is_known_and_a_session_is_kept_elsewhere() {
    let site = Site::open().await;
    count(&site.link(Limits::default()), Effect::Reads).await.unwrap();
    let call = &site.seen("tools/call")[0];
    assert_eq!(
        (call["mcp-protocol-version"].to_str().unwrap(), call.get("mcp-session-id")),
        ("2026-07-28", None)
    );
    let older = Site::of_the_older_kind().await;
    count(&older.link(Limits::default()), Effect::Reads).await.unwrap();
    let call = &older.seen("tools/call")[0];
    assert!(call["mcp-protocol-version"].to_str().unwrap() < "2026-07-28", "{call:?}");
    assert!(!call["mcp-session-id"].is_empty());
    assert_eq!(older.seen("initialize")[0].get("mcp-session-id"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_the_server_forgot_is_begun_again_and_nothing_is_done_twice() {
    let site = Site::of_the_older_kind().await;
    let link = site.link(Limits::default());
    assert_eq!(count(&link, Effect::Writes).await, Ok(1));
    site.trouble("tools/call", Trouble::Status(404), 1);
    assert_eq!(count(&link, Effect::Writes).await, Ok(2));
    assert_eq!((site.seen("initialize").len(), site.calls()), (2, 2));
    let calls = site.seen("tools/call");
    assert_ne!(calls[0]["mcp-session-id"], calls[2]["mcp-session-id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_refusal_has_its_kind_at_the_start_and_later() {
    let cases = [
        (401, PortErrorKind::Unauthorised),
        (403, PortErrorKind::Unauthorised),
        (404, PortErrorKind::NotConfigured),
        (429, PortErrorKind::RateLimited { retry_after: Some(Duration::from_secs(7)) }),
    ];
    let later = [
        (500, PortErrorKind::Unavailable(Happened::Maybe)),
        (503, PortErrorKind::Unavailable(Happened::Maybe)),
    ];
    for (status, kind) in cases.clone().into_iter().chain(later) {
        let site = Site::open().await;
        let link = site.link(Limits::default());
        count(&link, Effect::Reads).await.unwrap();
        site.trouble("tools/call", Trouble::Status(status), 1);
        let error = count(&link, Effect::Writes).await.unwrap_err();
        assert_eq!((&error.kind, site.calls()), (&kind, 1), "{error}");
        assert!(!format!("{error:?}").contains(TOKEN), "{error:?}");
        assert_eq!(count(&link, Effect::Writes).await, Ok(2), "the line is good after {status}");
    }
    for (status, kind) in cases.into_iter().chain([(500, PortErrorKind::Unavailable(Happened::Not))]) {
        let site = Site::open().await;
        site.trouble("server/discover", Trouble::Status(status), usize::MAX);
        site.trouble("initialize", Trouble::Status(status), usize::MAX);
        let error = site.link(Limits::default()).tools().await.unwrap_err();
        assert_eq!(error.kind, kind, "{error}");
        assert!(!format!("{error:?}").contains(TOKEN), "{error:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_says_nothing_is_given_up() {
    let site = Site::open().await;
    let link = site.link(Limits { call: Duration::from_secs(3), ..Limits::default() });
    link.tools().await.unwrap();
    site.trouble("tools/call", Trouble::Silence, 1);
    let error = count(&link, Effect::Writes).await.unwrap_err();
    assert_eq!(error.kind, PortErrorKind::Unavailable(Happened::Maybe), "{error}");
    assert!(error.reason.contains("no answer within"), "{error}");
    let site = Site::open().await;
    site.trouble("server/discover", Trouble::Silence, usize::MAX);
    site.trouble("initialize", Trouble::Silence, usize::MAX);
    let error = site
        .link(Limits { start: Duration::from_millis(500), ..Limits::default() })
        .tools()
        .await
        .unwrap_err();
    assert_eq!(error.kind, PortErrorKind::Unavailable(Happened::Not), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_breaks_off_is_asked_for_again_only_where_nothing_is_written() {
    for (trouble, calls) in [(Trouble::CutBefore, 0), (Trouble::CutAfter, 1)] {
        let site = Site::open().await;
        let link = site.link(Limits::default());
        link.tools().await.unwrap();
        site.trouble("tools/call", trouble.clone(), 1);
        let error = count(&link, Effect::Writes).await.unwrap_err();
        assert_eq!(error.kind, PortErrorKind::Unavailable(Happened::Maybe), "{error}");
        assert_eq!(site.calls(), calls);
        site.trouble("tools/call", trouble, 1);
        assert!(count(&link, Effect::Reads).await.is_ok());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_there_is_said_and_nothing_was_sent() {
    let site = Site::open().await;
    let nobody = Port::reserve();
    let url = format!("http://127.0.0.1:{}/mcp?key=query-secret", nobody.number());
    let error = Site { url, ..site }.link(Limits::default()).tools().await.unwrap_err();
    assert_eq!(error.kind, PortErrorKind::Unavailable(Happened::Not), "{error}");
    assert!(!format!("{error:?}").contains("query-secret"), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_is_never_taken_to_another_place() {
    let (site, other) = (Site::open().await, Site::open().await);
    let link = site.link(Limits::default());
    link.tools().await.unwrap();
    for to in [other.url.clone(), format!("{}?elsewhere", site.url)] {
        site.trouble("tools/call", Trouble::Redirect(to), 1);
        let error = count(&link, Effect::Writes).await.unwrap_err();
        assert_eq!(error.kind, PortErrorKind::NotConfigured);
        assert!(error.reason.contains("redirects"), "{error}");
    }
    assert!(other.door.seen.lock().unwrap().is_empty());
    assert_eq!(site.calls(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_is_read_for_ever() {
    for kind in ["application/json", "text/event-stream"] {
        let site = Site::open().await;
        let link = site.link(Limits { answer: 10_000, ..Limits::default() });
        link.tools().await.unwrap();
        site.trouble("tools/call", Trouble::Endless(kind), 1);
        let error = count(&link, Effect::Writes).await.unwrap_err();
        assert!(error.may_have_happened(), "{kind} {error}");
        site.trouble("server/discover", Trouble::Endless(kind), usize::MAX);
        site.trouble("initialize", Trouble::Endless(kind), usize::MAX);
        assert!(site.link(Limits { answer: 10_000, ..Limits::default() }).tools().await.is_err());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_for_people_is_no_answer() {
    let site = Site::open().await;
    let link = site.link(Limits::default());
    link.tools().await.unwrap();
    site.trouble("tools/call", Trouble::Page, 1);
    let error = count(&link, Effect::Reads).await.unwrap_err();
    assert_eq!(error.kind, PortErrorKind::Unreadable, "{error}");
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_not_shown() {
    let headers = BTreeMap::from([("Authorization".to_owned(), format!("Bearer {TOKEN}\r\nX-Other: 1"))]);
    let entry = ServerEntry::Http { url: "http://127.0.0.1:9/mcp".to_owned(), headers, trusted: None };
    assert!(!format!("{entry:?}").contains(TOKEN));
    let error = Link::new("far", Source::Entry(entry), Limits::default()).tools().await.unwrap_err();
    assert_eq!(error.kind, PortErrorKind::NotConfigured);
    assert!(error.reason.contains("the header Authorization cannot be sent"), "{error}");
    assert!(!format!("{error:?}").contains(TOKEN), "{error:?}");
}
