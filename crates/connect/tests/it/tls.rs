//! Certificates of one's own.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

use connect::client::{Effect, Limits, Link, McpServers, ServerEntry, Source};
use connect::servers::Service;
use domain::ports::PortErrorKind;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use testkit::tls::Authority;

use super::table::{Table, settings};

/// Answers every request, and returns where it does so.
fn secure_service(authority: &Authority) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (key, certificate) = (folder.path().join("key"), folder.path().join("certificate"));
    authority.issue(&key, &certificate);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_file(&certificate).unwrap()],
            PrivateKeyDer::from_pem_file(&key).unwrap(),
        )
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            answer(StreamOwned::new(connection, stream.unwrap()), as_a_service_or_a_server);
        }
    });
    address
}

/// Answers one request and gives its first line. Whoever does not trust us goes away before there is anything to answer.
pub(super) fn answer(stream: impl Read + Write, with: fn(&[u8]) -> (u16, String)) -> String {
    let mut stream = BufReader::new(stream);
    let (mut first, mut line, mut length) = (String::new(), String::new(), 0);
    let _ = stream.read_line(&mut first);
    while stream.read_line(&mut line).is_ok_and(|length| length > 2) {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    let _ = stream.read_exact(&mut body);
    let (status, said) = with(&body);
    let head = format!(
        "HTTP/1.1 {status} -\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        said.len()
    );
    let stream = stream.get_mut();
    let _ = stream.write_all((head + &said).as_bytes()).and_then(|()| stream.flush());
    first
}

/// A branch for those who send nothing, and MCP of the older kind for those who do.
pub(super) fn as_a_service_or_a_server(body: &[u8]) -> (u16, String) {
    let Ok(message) = serde_json::from_slice::<Value>(body) else {
        return (200, json!({"name": "main", "commit": {"sha": "0".repeat(40)}}).to_string());
    };
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "x", "version": "1"}}),
        "tools/list" => json!({"tools": [{"name": "ping", "inputSchema": {"type": "object"}}]}),
        "tools/call" => json!({"content": [{"type": "text", "text": "pong"}]}),
        "notifications/initialized" => return (202, String::new()),
        _ => return (400, "{}".to_owned()),
    };
    (200, json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string())
}

#[tokio::test]
async fn an_authority_is_trusted_if_it_is_named_and_not_otherwise() {
    let authority = Authority::new();
    let url = secure_service(&authority);
    let file = authority.certificate().to_string_lossy().into_owned();
    let known =
        [("GITHUB_API_URL", &*url), ("GITHUB_TOKEN", "token-of-mine"), ("COUNTERSIGN_CA_FILE", &*file)];
    let branch = json!({"repo": "acme/shop", "branch": "main"});
    let trusting = Table::with(&settings(Service::Github, &known)).await;
    assert_eq!(trusting.done("github_get_branch", branch.clone()).await["name"], "main");
    let stranger = Authority::new();
    let file = stranger.certificate().to_string_lossy().into_owned();
    let known =
        [("GITHUB_API_URL", &*url), ("GITHUB_TOKEN", "token-of-mine"), ("COUNTERSIGN_CA_FILE", &*file)];
    let refused =
        Table::with(&settings(Service::Github, &known)).await.refused("github_get_branch", branch).await;
    assert_eq!(refused["kind"], "unavailable");
    assert!(refused["message"].as_str().unwrap().to_lowercase().contains("certificate"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_holds_for_servers_of_others() {
    let authority = Authority::new();
    let url = format!("{}/mcp", secure_service(&authority));
    let link = |trusted: Option<PathBuf>| {
        let entry = ServerEntry::Http { url: url.clone(), headers: BTreeMap::new(), trusted };
        Link::new("far", Source::Entry(entry), Limits::default())
    };
    let trusting = link(Some(authority.certificate()));
    assert_eq!(trusting.call("ping", "ping", json!({}), Effect::Reads).await.unwrap().text(), "pong");
    let error = link(None).tools().await.unwrap_err();
    assert!(error.reason.to_lowercase().contains("certificate"), "{error}");
    let error = link(Some("/nowhere/ca.pem".into())).tools().await.unwrap_err();
    assert_eq!(error.kind, PortErrorKind::NotConfigured);
    assert!(error.reason.contains("/nowhere/ca.pem"), "{error}");
}

#[test]
fn the_authority_of_a_server_comes_from_the_environment() {
    let set = |name: &str| (name == "COUNTERSIGN_CA_FILE").then(|| "/etc/ca.pem".to_owned());
    let text = r#"{"mcpServers": {"far": {"url": "https://mcp.example"}}}"#;
    let servers = McpServers::parse(".mcp.json", text, &set).unwrap();
    let ServerEntry::Http { trusted, .. } = servers.get("far").unwrap() else { panic!("an address") };
    assert_eq!(trusted.as_deref(), Some(std::path::Path::new("/etc/ca.pem")));
}
