//! A client and a server at one table, with a forge behind the server.

use std::collections::HashMap;
use std::time::Duration;

use connect::servers::{Access, Handler, Patience, Service, Settings, tools};
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, RunningService, serve_client_with_lifecycle};
use rmcp::{RoleClient, ServiceExt};
use serde_json::Value;
use testkit::forge::{Forge, Rights};

pub(super) const REPO: &str = "acme/shop";

/// Which revision of the protocol the client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Revision {
    Handshake,
    Stateless,
}

pub(super) struct Table {
    client: RunningService<RoleClient, ()>,
    schemas: HashMap<String, jsonschema::Validator>,
}

/// Short enough for a test, long enough for a busy machine.
pub(super) fn patience() -> Patience {
    Patience {
        tries: 3,
        backoff: Duration::from_millis(5),
        limit: Duration::from_secs(5),
        ..Patience::default()
    }
}

pub(super) fn settings(service: Service, variables: &[(&str, &str)]) -> Settings {
    let look =
        |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    let mut settings = Settings::from_env(service, &look).unwrap();
    settings.patience = patience();
    settings
}

impl Table {
    pub(super) async fn with(settings: &Settings) -> Table {
        Table::speaking(settings, Access::Full, Revision::Stateless).await
    }

    pub(super) async fn speaking(settings: &Settings, access: Access, revision: Revision) -> Table {
        let handler = Handler::new(settings, access).unwrap();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move { handler.serve(theirs).await.unwrap().waiting().await });
        let lifecycle = match revision {
            Revision::Handshake => ClientLifecycleMode::Initialize,
            Revision::Stateless => {
                ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
            }
        };
        let client = serve_client_with_lifecycle((), ours, lifecycle).await.unwrap();
        let schemas = tools(settings.service, Access::Full).into_iter().map(|tool| {
            let schema = Value::Object((*tool.output_schema.unwrap()).clone());
            (tool.name.to_string(), jsonschema::validator_for(&schema).unwrap())
        });
        Table { client, schemas: schemas.collect() }
    }

    /// What the tool said, held against its own schema; or its error.
    pub(super) async fn ask(&self, tool: &str, arguments: Value) -> Result<Value, Value> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self.client.call_tool(params).await.unwrap();
        let value = result.structured_content.unwrap();
        if result.is_error == Some(true) {
            let error = value["error"].clone();
            assert!(error["kind"].is_string() && error["hint"].is_string(), "{value}");
            return Err(error);
        }
        let problems: Vec<String> =
            self.schemas[tool].iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{tool}: {problems:?} in {value}");
        Ok(value)
    }

    pub(super) async fn done(&self, tool: &str, arguments: Value) -> Value {
        self.ask(tool, arguments).await.unwrap_or_else(|error| panic!("{tool}: {error}"))
    }

    pub(super) async fn refused(&self, tool: &str, arguments: Value) -> Value {
        match self.ask(tool, arguments).await {
            Ok(value) => panic!("{tool} was not refused: {value}"),
            Err(error) => error,
        }
    }

    pub(super) async fn names(&self) -> Vec<String> {
        self.client.list_all_tools().await.unwrap().into_iter().map(|tool| tool.name.to_string()).collect()
    }
}

pub(super) async fn github(forge: &Forge) -> Table {
    github_with(forge, &forge.token("reviewer", Rights::Write)).await
}

pub(super) async fn github_with(forge: &Forge, token: &str) -> Table {
    let variables = [("GITHUB_API_URL", &*forge.github_url()), ("GITHUB_TOKEN", token)];
    Table::with(&settings(Service::Github, &variables)).await
}

pub(super) async fn gitlab(forge: &Forge) -> Table {
    gitlab_as(forge, "reviewer").await
}

pub(super) async fn gitlab_as(forge: &Forge, login: &str) -> Table {
    let token = forge.token(login, Rights::Write);
    let variables = [("GITLAB_API_URL", &*forge.gitlab_url()), ("GITLAB_TOKEN", &token)];
    Table::with(&settings(Service::Gitlab, &variables)).await
}

/// A repository with a pull request that changes two files.
pub(super) fn with_pull(forge: &Forge) -> u64 {
    forge.repository(REPO);
    let lines: String = (1..=30).map(|n| format!("line {n}\n")).collect();
    forge.commit(REPO, "main", &[("src/a.rs", &lines)]);
    let changed = lines.replace("line 10\n", "line ten\nline ten and a half\n").replace("line 20\n", "");
    forge.commit(REPO, "feature/x", &[("src/a.rs", &changed), ("new file.rs", "fn new() {}\n")]);
    forge.open_pull(
        REPO,
        testkit::forge::PullSeed::from("feature/x").into("main").by("alice").title("Ten").body("Why"),
    )
}
