//! What clients are told about the tools, for documents and measurements.

use rmcp::model::Tool;

/// All tools as `tools/list` names them.
pub fn tools() -> Vec<Tool> {
    super::tools::all().to_vec()
}
