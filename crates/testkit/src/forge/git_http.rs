//! Git's smart HTTP: `git http-backend` as a CGI program, behind a check of the token.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::answer::Answer;
use super::model::account::{Caller, Rights};
use super::model::repository::Visibility;
use super::model::state::State;
use super::request::Call;
use super::server::Inner;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Service {
    Fetch,
    Push,
}

pub(super) fn is_git(call: &Call) -> bool {
    split(call).is_some()
}

/// The repository's path and what is asked of it.
fn split(call: &Call) -> Option<(String, &'static str, Service)> {
    let services = [
        ("/git-upload-pack", Service::Fetch),
        ("/git-receive-pack", Service::Push),
        ("/info/refs", Service::Fetch),
    ];
    let path = format!("/{}", call.segments.join("/"));
    let (rest, ending, service) = services
        .iter()
        .find_map(|(ending, service)| Some((path.strip_suffix(ending)?, *ending, *service)))?;
    let service = match (ending, call.param("service")) {
        ("/info/refs", Some("git-upload-pack")) => Service::Fetch,
        ("/info/refs", Some("git-receive-pack")) => Service::Push,
        // The protocol of old, in which the client fetches files by name, is not spoken.
        ("/info/refs", _) => return None,
        _ => service,
    };
    let repository = rest.trim_start_matches('/').trim_end_matches(".git").to_owned();
    Some((repository, ending, service))
}

pub(super) fn serve(inner: &Inner, call: &Call) -> Answer {
    let Some((path, ending, service)) = split(call) else {
        return Answer::text(404, "text/plain", "Not Found");
    };
    let user = {
        let mut state = inner.state();
        match admit(&state, call, &path, service) {
            Ok(user) => {
                state.sync(&path);
                user
            }
            Err(refusal) => return refusal,
        }
    };
    let root = inner.state().folder.join("repositories");
    let mut command = Command::new("git");
    command.arg("http-backend").env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", &root).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command.env("GIT_PROJECT_ROOT", &root).env("GIT_HTTP_EXPORT_ALL", "1");
    command.env("PATH_INFO", format!("/{path}.git{ending}")).env("REQUEST_METHOD", call.method.as_str());
    command.env("REMOTE_USER", user).env("REMOTE_ADDR", "127.0.0.1");
    command.env("CONTENT_LENGTH", call.body.len().to_string());
    if let Some(service) = call.param("service") {
        command.env("QUERY_STRING", format!("service={service}"));
    }
    let headers = [
        ("content-type", "CONTENT_TYPE"),
        ("content-encoding", "HTTP_CONTENT_ENCODING"),
        ("git-protocol", "GIT_PROTOCOL"),
    ];
    for (header, variable) in headers {
        if let Some(value) = call.header(header) {
            command.env(variable, value);
        }
    }
    let answer = run(command, &call.body);
    if ending == "/git-receive-pack" {
        sync_family(&mut inner.state(), &path);
    }
    answer
}

/// A push to a fork shows in the repository it was forked from.
fn sync_family(state: &mut State, path: &str) {
    let here = state.repository(path).map(|repository| repository.id);
    let parent = state.repository(path).and_then(|repository| repository.parent);
    let paths: Vec<String> = state
        .repositories
        .iter()
        .filter(|other| Some(other.id) == here || Some(other.id) == parent)
        .map(|other| other.path.clone())
        .collect();
    for path in paths {
        state.sync(&path);
    }
}

/// The name of whoever is let in.
fn admit(state: &State, call: &Call, path: &str, service: Service) -> Result<String, Answer> {
    let challenge = || {
        Answer::text(401, "text/plain", "Authentication required\n")
            .with("www-authenticate", "Basic realm=\"Forge\"")
    };
    let caller = match call.credential() {
        Some(credential) => state.caller(credential.secret()).ok_or_else(challenge)?,
        None => Caller::Nobody,
    };
    let repository = state.repository(path);
    let public = repository.is_some_and(|repository| repository.visibility == Visibility::Public);
    let rights = caller.rights_in(path);
    let known = matches!(caller, Caller::Known { .. });
    let allowed = match service {
        Service::Fetch => public || rights >= Rights::Read,
        Service::Push => rights >= Rights::Write,
    };
    if repository.is_some() && allowed {
        return Ok(caller.user().login);
    }
    match (known, public || rights >= Rights::Read, repository) {
        (false, _, _) => Err(challenge()),
        (true, true, Some(_)) => {
            Err(Answer::text(403, "text/plain", "Write access to repository not granted.\n"))
        }
        (true, _, _) => Err(Answer::text(404, "text/plain", "Repository not found.\n")),
    }
}

fn run(mut command: Command, body: &[u8]) -> Answer {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("git is installed");
    let mut stdin = child.stdin.take().expect("a pipe");
    let output = std::thread::scope(|scope| {
        // Written beside reading, as either pipe may fill up. Git may stop reading early, which is its right.
        scope.spawn(move || {
            let _ = stdin.write_all(body);
        });
        child.wait_with_output().expect("git ends")
    });
    parse(&output.stdout)
}

/// A CGI program's headers, an empty line, and the body.
fn parse(output: &[u8]) -> Answer {
    let end = output.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(output.len());
    let head = String::from_utf8_lossy(&output[..end]).into_owned();
    let mut answer = Answer::empty(200);
    for (name, value) in head.lines().filter_map(|line| line.split_once(": ")) {
        if name.eq_ignore_ascii_case("status") {
            answer.status = value.split(' ').next().and_then(|code| code.parse().ok()).unwrap_or(500);
        } else {
            answer = answer.with(name, value);
        }
    }
    answer.body = output.get(end + 4..).unwrap_or_default().to_vec();
    answer
}
