//! Certificates of one's own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use connect::servers::Service;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;
use testkit::tls::Authority;

use super::table::{Table, settings};

/// Answers every request with the same branch, and returns where it does so.
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
            answer(StreamOwned::new(connection, stream.unwrap()));
        }
    });
    address
}

/// Whoever does not trust us goes away before there is anything to answer.
fn answer(stream: impl Read + Write) {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    while stream.read_line(&mut line).is_ok_and(|length| length > 2) {
        line.clear();
    }
    let body = json!({"name": "main", "commit": {"sha": "0".repeat(40)}}).to_string();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let stream = stream.get_mut();
    let _ = stream.write_all((head + &body).as_bytes()).and_then(|()| stream.flush());
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
