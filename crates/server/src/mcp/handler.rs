use std::sync::Arc;

use axum::http::request::Parts;
use domain::text::{nearest, short_line};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::progress::Progress;
use super::tools::{self, Call};
use super::{prompts, resources};
use crate::workbench::{Stores, Workbench};
use domain::assignments::Caller;

const INSTRUCTIONS: &str = "Countersign is the review gate for code that agents write. Coders: get_my_assignment, \
    accept_assignment, work and commit on a branch, submit_for_review; on status rework read get_review_feedback, mend and \
    submit again. Reviewers: get_my_assignment, look at the commits, submit_review_result. Anybody: request_review of your \
    own branch before you hand it in, queue_task_for_agent to delegate.";

const LONGEST_NAME: usize = 100;

/// Answers one client, or one request: it keeps nothing between two calls.
#[derive(Debug)]
pub struct Handler<S> {
    bench: Arc<Workbench<S>>,
    identity: Identity,
}

/// How the caller is known.
#[derive(Debug, Clone)]
enum Identity {
    Given(Caller),
    /// Whoever guards the door has put the caller beside the request.
    WithRequest,
}

impl<S: Stores> Handler<S> {
    pub fn for_caller(bench: Arc<Workbench<S>>, caller: Caller) -> Handler<S> {
        Handler { bench, identity: Identity::Given(caller) }
    }

    pub(crate) fn for_requests(bench: Arc<Workbench<S>>) -> Handler<S> {
        Handler { bench, identity: Identity::WithRequest }
    }

    fn caller(&self, context: &RequestContext<RoleServer>) -> Result<Caller, ErrorData> {
        let known = match &self.identity {
            Identity::Given(caller) => Some(caller.clone()),
            Identity::WithRequest => {
                context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Caller>().cloned())
            }
        };
        known.ok_or_else(|| ErrorData::invalid_request("the caller is not known", None))
    }
}

impl<S: Stores> ServerHandler for Handler<S> {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("countersign", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all().to_vec()))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        match resources::list(&self.bench).await {
            Ok(listed) => Ok(ListResourcesResult::with_all_items(listed)),
            Err(trouble) => {
                trouble.aside.iter().for_each(|aside| (self.bench.tell)(&format!("resources/list: {aside}")));
                Err(ErrorData::internal_error(trouble.text(), None))
            }
        }
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(resources::read(&self.bench, &request.uri).await?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        Ok(prompts::get(&self.bench, &request.name, &arguments).await?.into())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = Call { caller: self.caller(&context)?, progress: Progress::of(&context) };
        let arguments = request.arguments.unwrap_or_default();
        match tools::call(&self.bench, &request.name, call, arguments).await {
            Some(result) => Ok(result.into()),
            None => Err(unknown_tool(&request.name)),
        }
    }
}

fn unknown_tool(name: &str) -> ErrorData {
    // What is longer than any name is no slip, and comparing it would take long.
    let name = &name[..name.floor_char_boundary(LONGEST_NAME)];
    let hint = nearest(name, tools::all().iter().map(|tool| tool.name.as_ref()))
        .map(|near| format!("; did you mean {near}?"))
        .unwrap_or_default();
    ErrorData::invalid_params(format!("there is no tool {}{hint}", short_line(name)), None)
}
