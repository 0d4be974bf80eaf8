//! Application code has one way out. These tests fail when somebody builds another.

use std::fs;
use std::path::{Path, PathBuf};

/// Crates that speak HTTP as clients, or open sockets for those that do.
const CLIENTS: [&str; 16] = [
    "reqwest",
    "hyper",
    "hyper-util",
    "ureq",
    "isahc",
    "curl",
    "surf",
    "attohttpc",
    "octocrab",
    "gitlab",
    "minreq",
    "awc",
    "genai",
    "tungstenite",
    "tokio-tungstenite",
    "ssh2",
];
/// Who may depend on one, and why.
const ALLOWED: [(&str, &str); 3] = [
    // The endpoint of a model.
    ("brain", "genai"),
    ("brain", "reqwest"),
    // Our own servers, and MCP over HTTP.
    ("connect", "reqwest"),
];

fn crates() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut crates: Vec<_> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    crates.retain(|path| path.join("Cargo.toml").is_file());
    assert!(crates.len() >= 10, "{crates:?}");
    crates
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            false => {}
        }
    }
}

/// The crates that a manifest brings into a program, however it names them.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let place = section.rsplit_once("dependencies").filter(|(before, _)| !before.ends_with("dev-"));
            inside = place.is_some();
            let name = place.and_then(|(_, name)| name.strip_prefix('.'));
            found.extend(name.map(|name| name.trim_matches('"').to_owned()));
        } else if inside && !line.is_empty() && !line.starts_with('#') {
            found.extend(line.split(['=', '.', ' ']).next().map(|name| name.trim_matches('"').to_owned()));
            let renamed = line.split("package").nth(1).and_then(|rest| rest.split('"').nth(1));
            found.extend(renamed.map(str::to_owned));
        }
    }
    found
}

#[test]
fn a_dependency_is_found_however_it_is_written() {
    for written in [
        "[dependencies]\nreqwest = \"1\"",
        "[dependencies]\nreqwest.workspace = true",
        "[dependencies]\nx = { package = \"reqwest\", version = \"1\" }",
        "[dependencies.reqwest]\nversion = \"1\"",
        "[dependencies.x]\npackage = \"reqwest\"",
        "[target.'cfg(unix)'.dependencies]\nreqwest = \"1\"",
        "[build-dependencies]\nreqwest = \"1\"",
    ] {
        assert!(dependencies(written).iter().any(|name| name == "reqwest"), "{written}");
    }
    assert!(dependencies("[dev-dependencies]\nreqwest = \"1\"").is_empty());
    assert!(dependencies("[features]\nreqwest = []").is_empty());
}

/// Whoever adds to this list has made sure that it cannot reach another machine.
#[test]
fn the_domain_and_the_engine_know_nobody_who_could_take_them_outside() {
    let domain = [
        "bytes",
        "jiff",
        "memchr",
        "regex",
        "schemars",
        "serde",
        "serde-saphyr",
        "serde_json",
        "sha2",
        "strsim",
        "thiserror",
    ];
    let engine = ["domain", "jiff", "serde", "serde_json", "thiserror", "tokio"];
    for (name, known) in [("domain", &domain[..]), ("engine", &engine[..])] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(name);
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        for dependency in dependencies(&manifest) {
            assert!(known.contains(&dependency.as_str()), "{name} depends on {dependency}");
        }
    }
}

#[test]
fn no_other_crate_depends_on_an_http_client() {
    for folder in crates() {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        if name == "testkit" {
            continue;
        }
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        for dependency in dependencies(&manifest) {
            let is_client = CLIENTS.contains(&dependency.as_str());
            assert!(
                !is_client || ALLOWED.contains(&(name.as_str(), dependency.as_str())),
                "{name} depends on {dependency}: forges, trackers and wikis are reached through ports alone"
            );
        }
    }
}

#[test]
fn within_this_crate_only_the_servers_and_the_client_of_mcp_speak_http() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&source, &mut files);
    for file in files {
        let inside = file.strip_prefix(&source).unwrap().to_str().unwrap().to_owned();
        let may =
            ["rest/", "servers/", "client/http.rs", "tls.rs"].iter().any(|place| inside.starts_with(place));
        let text = fs::read_to_string(&file).unwrap();
        assert!(may || !text.contains("reqwest"), "{inside} speaks HTTP");
        let knows_rest = text.contains("crate::rest") || text.contains("rest::");
        assert!(
            inside.starts_with("rest") || inside.starts_with("servers") || !knows_rest,
            "{inside} goes past MCP"
        );
    }
}

#[test]
fn nobody_opens_a_connection_past_the_ports() {
    let sockets = ["TcpStream", "TcpSocket", "UnixStream", "UdpSocket"];
    let programs = ["curl", "wget", "gh", "glab", "nc", "ssh"].map(|name| format!("Command::new(\"{name}\""));
    let clients = ["serve_client", "RoleClient"];
    for folder in crates().iter().filter(|folder| !folder.ends_with("testkit")) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let mut ways: Vec<&str> = programs.iter().map(String::as_str).collect();
        match name {
            // What `rules` says about sockets is data, and `brain` reaches models.
            "rules" | "brain" => ways.extend(clients),
            "connect" => ways.extend(sockets),
            "domain" | "engine" => {
                ways.extend(sockets.into_iter().chain(clients));
                ways.extend(["TcpListener", "Command::new", "process::{", "process::Command"]);
            }
            _ => ways.extend(sockets.into_iter().chain(clients)),
        }
        let mut files = Vec::new();
        sources(&folder.join("src"), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let found = ways.iter().find(|way| text.contains(**way));
            assert!(found.is_none(), "{} uses {found:?}", file.display());
        }
    }
}

/// Git reaches another machine in one place, and whoever asks it to is known.
#[test]
fn git_talks_to_a_forge_through_mirrors_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
    for folder in crates().iter().filter(|folder| !folder.ends_with("testkit")) {
        let mut files = Vec::new();
        sources(&folder.join("src"), &mut files);
        for file in files {
            let inside = file.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            let text = fs::read_to_string(&file).unwrap();
            let talks = ["fetch", "push", "ls-remote", "clone"]
                .iter()
                .any(|command| text.contains(&format!("\"{command}\"")) && text.contains("Call::new"));
            // Remotes on this machine are asked which references moved, by no other protocol.
            let is_local = text.contains(r#""GIT_ALLOW_PROTOCOL", "file""#);
            let may_talk = inside == "git/src/mirror.rs" || (inside == "git/src/ref_moves.rs" && is_local);
            assert!(!talks || may_talk, "{inside} has git talk to another machine");
            let asks = text.contains("Mirror::open");
            let may = ["git/src/", "cli/src/requests/", "cli/src/missions/"];
            assert!(!asks || may.iter().any(|place| inside.starts_with(place)), "{inside} opens a mirror");
        }
    }
}
