use domain::forge::{Identity, MergeRequest, Project};
use domain::ports::{PortError, PortErrorKind};
use domain::tools::{CallScope, McpTool, ToolPolicy, check_call};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::shapes::{Named, RequestShape};
use crate::client::{Answer, Effect, Link};

/// A server with what a model may do on it.
#[derive(Debug)]
pub struct Server {
    pub link: Link,
    pub policy: ToolPolicy,
    /// What a model may write to; without one, its writing calls are held against the policy alone.
    pub scope: Option<CallScope>,
}

/// An answer for a model is never longer, in bytes.
const LONGEST: usize = 1_000_000;

/// The end of every port: what a model may do with the server behind it.
macro_rules! tools_of_the_server {
    () => {
        async fn get_mcp_tools(&self) -> Result<Vec<McpTool>, PortError> {
            self.0.get_mcp_tools().await
        }

        async fn execute_tool(&self, name: &str, arguments: &Value) -> Result<String, PortError> {
            self.0.execute_tool(name, arguments).await
        }
    };
}
pub(super) use tools_of_the_server;

impl Server {
    pub(crate) async fn get_mcp_tools(&self) -> Result<Vec<McpTool>, PortError> {
        self.link.tools().await
    }

    /// Every call is checked, whoever checked it before. What the server was given to reach its service is in no answer.
    pub(crate) async fn execute_tool(&self, name: &str, arguments: &Value) -> Result<String, PortError> {
        let tools = self.link.tools().await?;
        let Some(tool) = tools.iter().find(|tool| tool.name == name) else {
            return Err(self.link.missing("call a tool for a model", &domain::text::short_line(name)));
        };
        if let Err(denied) = check_call(tool, arguments, &self.policy, self.scope.as_ref()) {
            let observation = denied.observation();
            let kind = PortErrorKind::Denied(denied);
            return Err(PortError::new(kind, "call a tool for a model", &observation, ""));
        }
        let answer = self.link.call(&format!("call {name}"), name, arguments.clone(), Effect::Writes).await?;
        let text = self.link.masked(answer.text());
        Ok(text[..text.floor_char_boundary(LONGEST)].to_owned())
    }

    pub(super) async fn read<T: DeserializeOwned>(
        &self,
        action: &str,
        tool: &str,
        arguments: Value,
    ) -> Result<T, PortError> {
        self.link.call(action, tool, arguments, Effect::Reads).await?.read(action)
    }

    /// What is not there is `None`.
    pub(super) async fn find<T: DeserializeOwned>(
        &self,
        action: &str,
        tool: &str,
        arguments: Value,
    ) -> Result<Option<T>, PortError> {
        match self.read(action, tool, arguments).await {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind == PortErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn find_request<T: RequestShape>(
        &self,
        action: &str,
        tool: &str,
        arguments: Value,
        project: &Project,
    ) -> Result<Option<MergeRequest>, PortError> {
        let found: Option<T> = self.find(action, tool, arguments).await?;
        found.map(|found| found.into_request(action, project)).transpose()
    }

    /// `None` where the token belongs to nobody in particular, as that of an app, or there is no tool to ask.
    pub(super) async fn identity(&self, tool: &str) -> Result<Option<Identity>, PortError> {
        match self.read::<Named>("ask who we are", tool, Value::Null).await {
            Ok(me) => Ok(Some(Identity { login: me.into_name() })),
            Err(error) if is_forbidden(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn write(
        &self,
        action: &str,
        tool: &str,
        arguments: Value,
    ) -> Result<Answer, PortError> {
        self.link.call(action, tool, arguments, Effect::Writes).await
    }

    /// Writes where no answer is needed but that it was done.
    pub(super) async fn tell(&self, action: &str, tool: &str, arguments: Value) -> Result<(), PortError> {
        self.write(action, tool, arguments).await.map(|_| ())
    }

    /// As [`Server::tell`], of something that is to go: what is not there has gone.
    pub(super) async fn tell_gone(
        &self,
        action: &str,
        tool: &str,
        arguments: Value,
    ) -> Result<(), PortError> {
        match self.tell(action, tool, arguments).await {
            Err(error) if error.kind == PortErrorKind::NotFound => Ok(()),
            answer => answer,
        }
    }
}

/// Not for this token, or not by this server.
pub(super) fn is_forbidden(error: &PortError) -> bool {
    matches!(error.kind, PortErrorKind::Unauthorised | PortErrorKind::MissingTool | PortErrorKind::NotFound)
}
