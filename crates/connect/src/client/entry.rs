use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use domain::text::{nearest, short_line};
use serde::Deserialize;

use crate::servers::Service;

/// Where variables come from.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Servers in the usual `mcpServers` form. To be read from the operator's file or the base commit alone: it says which
/// programs are started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpServers {
    entries: BTreeMap<String, ServerEntry>,
}

/// How a server is reached, all variables filled in.
#[derive(Clone, PartialEq, Eq)]
pub enum ServerEntry {
    Stdio {
        command: String,
        args: Vec<String>,
        /// What it gets besides the few variables that every program needs.
        env: BTreeMap<String, String>,
    },
    Http {
        url: String,
        headers: BTreeMap<String, String>,
        /// Certificates to trust besides the system's: `COUNTERSIGN_CA_FILE`.
        trusted: Option<PathBuf>,
    },
}

/// Why a file with servers cannot be used. Holds no value of any variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadServers {
    #[error("{file} cannot be read: {reason}")]
    Malformed { file: String, reason: String },
    #[error("{file}: the server {server} {problem}")]
    Entry { file: String, server: String, problem: String },
    #[error("there is no server called {name}{}", meant.as_ref().map(|meant| format!("; did you mean {meant}?")).unwrap_or_default())]
    Unknown { name: String, meant: Option<String> },
}

#[derive(Deserialize)]
struct File {
    #[serde(rename = "mcpServers", default)]
    servers: BTreeMap<String, Written>,
}

/// As it stands in the file. Other programs write keys of their own into it, which are left alone.
#[derive(Deserialize)]
struct Written {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

impl McpServers {
    /// `file` is how errors call it.
    pub fn parse(file: &str, text: &str, environment: Environment<'_>) -> Result<McpServers, BadServers> {
        let read: File = serde_json::from_str(text).map_err(|error| BadServers::Malformed {
            file: file.to_owned(),
            reason: short_line(&error.to_string()),
        })?;
        let entries = read.servers.into_iter().map(|(name, written)| {
            let entry = written.resolve(environment).map_err(|problem| BadServers::Entry {
                file: file.to_owned(),
                server: short_line(&name),
                problem,
            })?;
            Ok((name, entry))
        });
        Ok(McpServers { entries: entries.collect::<Result<_, BadServers>>()? })
    }

    pub fn get(&self, name: &str) -> Result<&ServerEntry, BadServers> {
        self.entries.get(name).ok_or_else(|| BadServers::Unknown {
            name: short_line(name),
            meant: nearest(name, self.entries.keys().map(String::as_str)).map(short_line),
        })
    }
}

impl Written {
    fn resolve(self, environment: Environment<'_>) -> Result<ServerEntry, String> {
        let expand = |text: &str| expand(text, environment);
        let all = |map: &BTreeMap<String, String>| -> Result<BTreeMap<String, String>, String> {
            map.iter().map(|(key, value)| Ok((key.clone(), expand(value)?))).collect()
        };
        match (self.command, self.url) {
            (Some(command), None) => Ok(ServerEntry::Stdio {
                command: expand(&command)?,
                args: self.args.iter().map(|arg| expand(arg)).collect::<Result<_, _>>()?,
                env: all(&self.env)?,
            }),
            (None, Some(url)) => {
                if let Some((name, _)) = self.headers.iter().find(|(_, value)| !value.contains("${")) {
                    let name = short_line(name);
                    return Err(format!(
                        "has its header {name} written out; name a variable instead: ${{TOKEN}}"
                    ));
                }
                let trusted = environment("COUNTERSIGN_CA_FILE").filter(|file| !file.trim().is_empty());
                let (url, headers) = (expand(&url)?, all(&self.headers)?);
                Ok(ServerEntry::Http { url, headers, trusted: trusted.map(PathBuf::from) })
            }
            (Some(_), Some(_)) => Err("has both a command and a url; one of them is to go".to_owned()),
            (None, None) => Err("has neither a command nor a url".to_owned()),
        }
    }
}

/// `${NAME}` and `${NAME:-default}`. A variable that is not set and has no default is an error: an empty token would
/// only fail later and say less.
fn expand(text: &str, environment: Environment<'_>) -> Result<String, String> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        expanded.push_str(&rest[..start]);
        let after = &rest[start + 2..];
        let Some(end) = after.find('}') else { return Err("has a `${` that is never closed".to_owned()) };
        let (name, default) = match after[..end].split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (&after[..end], None),
        };
        let value = environment(name).filter(|value| !value.is_empty());
        let value = value.or(default.map(str::to_owned));
        expanded.push_str(
            &value.ok_or_else(|| format!("needs the variable {}, which is not set", short_line(name)))?,
        );
        rest = &after[end + 1..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// Our own server for a service: this program, with those variables that the service knows.
pub fn own_server(program: &Path, service: Service, environment: Environment<'_>) -> ServerEntry {
    let env = service.variables().filter_map(|name| Some((name.to_owned(), environment(name)?))).collect();
    ServerEntry::Stdio {
        command: program.to_string_lossy().into_owned(),
        args: vec!["mcp".to_owned(), service.as_str().to_owned()],
        env,
    }
}

/// Without values: among them are tokens.
impl std::fmt::Debug for ServerEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ServerEntry::Stdio { command, env, .. } => f
                .debug_struct("Stdio")
                .field("command", command)
                .field("env", &env.keys())
                .finish_non_exhaustive(),
            ServerEntry::Http { headers, .. } => {
                f.debug_struct("Http").field("headers", &headers.keys()).finish_non_exhaustive()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<McpServers, String> {
        let set = |name: &str| (name == "TOKEN").then(|| "s3cret-value".to_owned());
        McpServers::parse(".mcp.json", text, &set).map_err(|error| error.to_string())
    }

    #[test]
    fn variables_are_filled_in_and_never_shown() {
        let servers = parse(
            r#"{"mcpServers":{"gl":{"command":"npx","args":["-y","x"],"env":{"T":"${TOKEN}","U":"${URL:-http://x}"}},
                "gh":{"type":"http","url":"https://h/mcp","headers":{"Authorization":"Bearer ${TOKEN}"}}}}"#,
        )
        .unwrap();
        let ServerEntry::Stdio { env, .. } = servers.get("gl").unwrap() else { panic!("a program") };
        assert_eq!((env["T"].as_str(), env["U"].as_str()), ("s3cret-value", "http://x"));
        let ServerEntry::Http { headers, .. } = servers.get("gh").unwrap() else { panic!("an address") };
        assert_eq!(headers["Authorization"], "Bearer s3cret-value");
        assert!(!format!("{servers:?}").contains("s3cret"));
        assert_eq!(
            servers.get("gll").unwrap_err().to_string(),
            "there is no server called gll; did you mean gl?"
        );
    }

    #[test]
    fn what_cannot_work_is_said_before_anything_is_started() {
        for (text, expected) in [
            (r#"{"mcpServers":{"a":{"command":"x","env":{"T":"${NOPE}"}}}}"#, "needs the variable NOPE"),
            (
                r#"{"mcpServers":{"a":{"url":"https://h","headers":{"A":"Bearer x"}}}}"#,
                "header A written out",
            ),
            (r#"{"mcpServers":{"a":{"command":"x","url":"y"}}}"#, "both a command and a url"),
            (r#"{"mcpServers":{"a":{}}}"#, "neither"),
            (r#"{"mcpServers":{"a":{"command":"${X"}}}"#, "never closed"),
            ("{", "cannot be read"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
