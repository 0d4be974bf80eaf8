//! `countersign mcp confluence`.

use domain::forge::DocsPage;
use domain::ports::{DocsPort, PortError};
use domain::tools::McpTool;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Server;
use super::server::tools_of_the_server;
use super::shapes::web_address;

#[derive(Debug)]
pub struct Confluence(pub Server);

#[derive(Deserialize)]
struct Page {
    id: String,
    title: String,
    url: String,
    body: String,
}

#[derive(Deserialize)]
struct ByService {
    page: Option<Page>,
}

impl From<Page> for DocsPage {
    fn from(page: Page) -> DocsPage {
        DocsPage { id: page.id, title: page.title, url: web_address(page.url), body: page.body }
    }
}

impl DocsPort for Confluence {
    async fn get_project_context(&self, service_name: &str) -> Result<Option<DocsPage>, PortError> {
        let arguments = json!({ "service_name": service_name });
        let found: Option<ByService> = self
            .0
            .find("read the page about the service", "confluence_get_page_by_service", arguments)
            .await?;
        Ok(found.and_then(|found| found.page).map(DocsPage::from))
    }

    async fn get_architecture_context(&self, page_id: &str) -> Result<Option<DocsPage>, PortError> {
        let arguments = json!({ "page_id": page_id });
        let found: Option<Page> = self.0.find("read the page", "confluence_get_page", arguments).await?;
        Ok(found.map(DocsPage::from))
    }

    tools_of_the_server!();
}
