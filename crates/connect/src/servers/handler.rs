use std::pin::Pin;
use std::sync::Arc;

use domain::text::{nearest, short_line};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use super::service::Service;
use super::settings::{Settings, SettingsError};
use super::tool::Entry;
use super::{Access, confluence, github, gitlab, jira};
use crate::rest::Rest;

const LONGEST_NAME: usize = 100;

/// What is done after a tool has succeeded: given its name and its answer, it says what is to be added to the answer.
pub type AfterCall = Arc<dyn Fn(&str, &Value) -> After + Send + Sync>;
pub type After = Pin<Box<dyn Future<Output = Option<Addition>> + Send>>;

/// What is added to an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// For whoever reads it.
    pub text: String,
    /// The task that was queued, for programs: `review_task` of the answer.
    pub review_task: Option<String>,
}

/// One service as an MCP server. It keeps nothing between two calls but answers that the service need not send again.
#[derive(Clone)]
pub struct Handler {
    service: Service,
    tools: Arc<[Entry]>,
    after: Option<AfterCall>,
}

impl std::fmt::Debug for Handler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handler").field("service", &self.service).finish_non_exhaustive()
    }
}

impl Handler {
    /// Fails where something is wrong with the settings. What is missing is told by each tool instead.
    pub fn new(settings: &Settings, access: Access) -> Result<Handler, SettingsError> {
        let rest = settings.rest()?;
        Ok(Handler::with(settings.service, settings, rest, access))
    }

    pub(super) fn without_settings(service: Service, access: Access) -> Handler {
        let settings = Settings::nothing(service);
        let rest = Rest::absent(settings.what_is_missing());
        Handler::with(service, &settings, rest, access)
    }

    fn with(service: Service, settings: &Settings, rest: Rest, access: Access) -> Handler {
        let entries = match service {
            Service::Github => github::entries(rest),
            Service::Gitlab => gitlab::entries(rest),
            Service::Jira => jira::entries(rest, settings.api_version),
            Service::Confluence => confluence::entries(rest, settings.api_version),
        };
        let tools = entries.into_iter().filter(|entry| entry.is_for(access)).collect();
        Handler { service, tools, after: None }
    }

    /// With something that is done after each call that succeeded. Its caller waits for it.
    pub fn then(self, after: AfterCall) -> Handler {
        Handler { after: Some(after), ..self }
    }

    async fn called(&self, entry: &Entry, arguments: JsonObject) -> CallToolResult {
        let mut result = entry.call(arguments).await;
        if let (Some(after), Some(answer), Some(false) | None) =
            (&self.after, &result.structured_content, result.is_error)
            && let Some(Addition { text, review_task }) = after(&entry.listed.name, answer).await
        {
            if let (Some(task), Some(mut answer)) = (review_task, result.structured_content.clone()) {
                answer["review_task"] = task.into();
                result = CallToolResult::structured(answer);
            }
            result.content.push(ContentBlock::text(text));
        }
        result
    }

    /// As `tools/list` names them.
    pub fn tools(&self) -> Vec<Tool> {
        self.tools.iter().map(|entry| entry.listed.clone()).collect()
    }

    fn find(&self, name: &str) -> Option<&Entry> {
        self.tools.iter().find(|entry| entry.listed.name == name)
    }

    fn unknown(&self, name: &str) -> ErrorData {
        // What is longer than any name is no slip, and comparing it would take long.
        let name = &name[..name.floor_char_boundary(LONGEST_NAME)];
        let hint = nearest(name, self.tools.iter().map(|entry| entry.listed.name.as_ref()))
            .map(|near| format!("; did you mean {near}?"))
            .unwrap_or_default();
        ErrorData::invalid_params(format!("there is no tool {}{hint}", short_line(name)), None)
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let name = format!("countersign-{}", self.service.as_str());
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(name, env!("CARGO_PKG_VERSION")))
            .with_instructions(self.service.instructions())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.find(name).map(|entry| entry.listed.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let entry = self.find(&request.name).ok_or_else(|| self.unknown(&request.name))?;
        tokio::select! {
            // Whoever waited has gone: nothing more is sent on their behalf.
            () = context.ct.cancelled() => Err(ErrorData::invalid_request("the call was cancelled", None)),
            result = self.called(entry, request.arguments.unwrap_or_default()) => Ok(result.into()),
        }
    }
}
