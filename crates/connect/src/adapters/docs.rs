use domain::forge::DocsPage;
use domain::ports::{DocsPort, PortError};
use domain::tools::McpTool;
use serde_json::Value;

use crate::profiles::{AtlassianDocs, Confluence};

/// A wiki.
#[derive(Debug)]
pub enum Docs {
    /// `countersign mcp confluence`
    Confluence(Confluence),
    /// mcp-atlassian
    AtlassianDocs(AtlassianDocs),
}

macro_rules! either {
    ($self:ident, $port:ident => $call:expr) => {
        match $self {
            Docs::Confluence($port) => $call,
            Docs::AtlassianDocs($port) => $call,
        }
    };
}

impl DocsPort for Docs {
    async fn get_project_context(&self, service_name: &str) -> Result<Option<DocsPage>, PortError> {
        either!(self, port => port.get_project_context(service_name).await)
    }

    async fn get_architecture_context(&self, page_id: &str) -> Result<Option<DocsPage>, PortError> {
        either!(self, port => port.get_architecture_context(page_id).await)
    }

    async fn get_mcp_tools(&self) -> Result<Vec<McpTool>, PortError> {
        either!(self, port => port.get_mcp_tools().await)
    }

    async fn execute_tool(&self, name: &str, arguments: &Value) -> Result<String, PortError> {
        either!(self, port => port.execute_tool(name, arguments).await)
    }
}
