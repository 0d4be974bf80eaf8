//! The MCP servers we ship: GitHub, GitLab, Jira and Confluence as tools.
//!
//! Each tool is one type with its input and output; what is alike in all of them (schemas, arguments, errors, masking) is
//! in [`tool`]. A service is described by [`Settings`], which come from the environment alone. Where something is missing
//! there, the server starts all the same and every tool says what it is.

mod arguments;
mod confluence;
mod github;
mod gitlab;
mod handler;
mod ids;
mod jira;
mod ours;
mod patch;
mod schema;
mod service;
mod settings;
mod stdio;
mod tool;

pub use crate::rest::Patience;
pub use crate::tls::{TlsError, check_certificates};
pub use handler::{Addition, After, AfterCall, Handler};
/// Standard input and output, for whoever serves there.
pub use rmcp::transport::{async_rw::DEFAULT_MAX_LINE_LENGTH as LONGEST_LINE, io::stdio_pipes};
pub use service::Service;
pub use settings::{Settings, SettingsError};
pub use stdio::{StdioError, serve_stdio};

/// What a client may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    #[default]
    Full,
    /// Tools that change something are not there.
    ReadOnly,
}

/// The tools of a service as `tools/list` names them.
pub fn tools(service: Service, access: Access) -> Vec<rmcp::model::Tool> {
    Handler::without_settings(service, access).tools()
}
