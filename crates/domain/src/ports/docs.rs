use std::future::Future;

use serde_json::Value;

use super::PortError;
use crate::forge::DocsPage;
use crate::tools::McpTool;

/// Where a project's standards are written down. Nothing is ever written to it.
pub trait DocsPort: Send + Sync {
    /// The page about a service, by its name.
    fn get_project_context(
        &self,
        service_name: &str,
    ) -> impl Future<Output = Result<Option<DocsPage>, PortError>> + Send;

    /// A page by its id.
    fn get_architecture_context(
        &self,
        page_id: &str,
    ) -> impl Future<Output = Result<Option<DocsPage>, PortError>> + Send;

    /// What the server offers, unfiltered: [`crate::tools::sort`] says what a model gets to see.
    fn get_mcp_tools(&self) -> impl Future<Output = Result<Vec<McpTool>, PortError>> + Send;

    /// Makes a call for a model. It is held against the policy first, whoever checked it before.
    fn execute_tool(
        &self,
        name: &str,
        arguments: &Value,
    ) -> impl Future<Output = Result<String, PortError>> + Send;
}
