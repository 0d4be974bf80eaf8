use std::sync::{Arc, Mutex};

use reqwest::{Client, Method, RequestBuilder};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};
use tokio::io::DuplexStream;

use super::answers;

const TOOLS: &str = include_str!("tools.json");
const THREADS: &str = "query($owner: String!, $repo: String!, $number: Int!, $first: Int!, $after: String) { \
    repository(owner: $owner, name: $repo) { pullRequest(number: $number) { reviewThreads(first: $first, after: $after) { \
    nodes { id } } } } }";

/// What becomes of HTML in comments when they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    AsItIs,
    /// Taken out.
    WithoutHtml,
    /// Made visible, and so are definitions of links that nothing refers to.
    Escaped,
}

/// Which review of an account is taken for its draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looking {
    ForTheDraft,
    /// The oldest, whatever it is.
    AtTheOldest,
}

#[derive(Clone)]
pub(super) struct Official {
    http: Client,
    api: String,
    token: String,
    reading: Reading,
    looking: Looking,
    improper: Arc<Mutex<Vec<String>>>,
}

impl Official {
    pub(super) fn new(api: &str, token: &str, reading: Reading) -> Official {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = Client::builder().tls_certs_only([]).user_agent("stand-in").build().unwrap();
        let (api, token, looking) = (api.to_owned(), token.to_owned(), Looking::ForTheDraft);
        Official { http, api, token, reading, looking, improper: Arc::default() }
    }

    pub(super) fn looking(self, looking: Looking) -> Official {
        Official { looking, ..self }
    }

    /// Our end of a line to it.
    pub(super) fn begin(&self) -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let server = self.clone();
        tokio::spawn(async move {
            if let Ok(running) = server.serve(theirs).await {
                let _ = running.waiting().await;
            }
        });
        ours
    }

    /// No call had an unknown name, or arguments that its schema does not allow.
    pub(super) fn assert_asked_properly(&self) {
        let improper = self.improper.lock().unwrap();
        assert!(improper.is_empty(), "{improper:?}");
    }

    fn check(&self, tool: &str, arguments: &Value) -> Result<(), String> {
        let tools: Vec<Value> = serde_json::from_str(TOOLS).unwrap();
        let known = tools.iter().find(|known| known["name"] == tool);
        let schema = known.map(|known| {
            let mut schema = known["inputSchema"].clone();
            schema["additionalProperties"] = json!(false);
            schema
        });
        let schema = schema.ok_or_else(|| format!("unknown tool {tool}"))?;
        let validator = jsonschema::validator_for(&schema).unwrap();
        let problems: Vec<String> = validator.iter_errors(arguments).map(|error| error.to_string()).collect();
        if problems.is_empty() { Ok(()) } else { Err(format!("{tool}: {}", problems.join("; "))) }
    }

    async fn send(&self, what: &str, request: RequestBuilder) -> Result<reqwest::Response, String> {
        let request = request.bearer_auth(&self.token).build().unwrap();
        let place = format!("{} {}", request.method(), request.url());
        let response = self.http.execute(request).await.map_err(|error| error.to_string())?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let said: Value = response.json().await.unwrap_or_default();
        let message = said["errors"][0].as_str().or(said["message"].as_str()).unwrap_or_default();
        Err(format!("failed to {what}: {place}: {} {message} []", status.as_u16()))
    }

    async fn rest(
        &self,
        what: &str,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, String> {
        let mut request = self.http.request(method, format!("{}/{path}", self.api));
        if let Some(body) = body {
            request = request.json(&body);
        }
        self.send(what, request).await?.json().await.map_err(|error| error.to_string())
    }

    async fn get(&self, what: &str, path: &str) -> Result<Value, String> {
        self.rest(what, Method::GET, path, None).await
    }

    async fn graphql(&self, what: &str, query: &str, variables: Value) -> Result<Value, String> {
        let url = format!("{}/graphql", self.api.trim_end_matches("/v3"));
        let body = json!({"query": query, "variables": variables});
        let said: Value = self.send(what, self.http.post(url).json(&body)).await?.json().await.unwrap();
        match said["errors"][0]["message"].as_str() {
            Some(message) => Err(format!("failed to {what}: {message}")),
            None => Ok(said["data"].clone()),
        }
    }

    async fn called(&self, tool: &str, given: &Value) -> Result<String, String> {
        let text = |name: &str| given[name].as_str().unwrap_or_default().to_owned();
        let repo = format!("repos/{}/{}", text("owner"), text("repo"));
        let paging = format!(
            "page={}&per_page={}",
            given["page"].as_u64().unwrap_or(1),
            given["perPage"].as_u64().unwrap_or(30)
        );
        match tool {
            "get_me" => Ok(json!({"login": self.get("get user", "user").await?["login"]}).to_string()),
            "list_branches" => {
                let read = self.get("list branches", &format!("{repo}/branches?{paging}")).await?;
                Ok(answers::each(&read, answers::branch))
            }
            "list_pull_requests" => {
                let (head, state) = (text("head"), text("state"));
                let path = format!("{repo}/pulls?head={head}&state={state}&{paging}");
                Ok(answers::each(&self.get("list pull requests", &path).await?, answers::pull))
            }
            "pull_request_read" => self.read(&repo, &paging, given).await,
            "pull_request_review_write" => self.review(&repo, given).await,
            "add_comment_to_pending_review" => self.draft_comment(&repo, given).await,
            "add_issue_comment" => {
                let path = format!("{repo}/issues/{}/comments", given["issue_number"]);
                let body = Some(json!({"body": given["body"]}));
                Ok(answers::made(&self.rest("create comment", Method::POST, &path, body).await?))
            }
            "create_pull_request" => {
                let body = json!({"title": given["title"], "head": given["head"], "base": given["base"],
                    "body": given["body"]});
                let path = format!("{repo}/pulls");
                let made = self.rest("create pull request", Method::POST, &path, Some(body)).await?;
                Ok(answers::made(&made))
            }
            other => Err(format!("unknown tool {other}")),
        }
    }

    async fn read(&self, repo: &str, paging: &str, given: &Value) -> Result<String, String> {
        let number = &given["pullNumber"];
        let pull = format!("{repo}/pulls/{number}");
        let comment = |said: &Value| answers::comment(said, self.reading);
        match given["method"].as_str().unwrap() {
            "get" => Ok(answers::pull(&self.get("get pull request", &pull).await?).to_string()),
            "get_diff" => {
                let request = self.http.get(format!("{}/{pull}", self.api));
                let request = request.header("accept", "application/vnd.github.diff");
                let response = self.send("get pull request diff", request).await?;
                response.text().await.map_err(|error| error.to_string())
            }
            "get_status" => {
                let sha = self.get("get pull request", &pull).await?["head"]["sha"].clone();
                let path = format!("{repo}/commits/{}/status", sha.as_str().unwrap());
                Ok(self.get("get combined status", &path).await?.to_string())
            }
            "get_files" => {
                let read = self.get("get pull request files", &format!("{pull}/files?{paging}")).await?;
                Ok(answers::each(&read, answers::file))
            }
            "get_reviews" => {
                let read = self.get("get pull request reviews", &format!("{pull}/reviews?{paging}")).await?;
                Ok(answers::each(&read, answers::review))
            }
            "get_comments" => {
                let path = format!("{repo}/issues/{number}/comments?{paging}");
                Ok(answers::each(&self.get("get issue comments", &path).await?, comment))
            }
            "get_review_comments" => {
                let variables = json!({"owner": given["owner"], "repo": given["repo"], "number": number,
                    "first": given["perPage"].as_u64().unwrap_or(30), "after": given["after"]});
                let read = self.graphql("get pull request review threads", THREADS, variables).await?;
                let threads = &read["repository"]["pullRequest"]["reviewThreads"];
                Ok(answers::threads(threads, self.reading).to_string())
            }
            other => Err(format!("unknown method: {other}")),
        }
    }

    /// The draft of the account, which has one at the most.
    async fn draft(&self, repo: &str, given: &Value) -> Result<Value, String> {
        let path = format!("{repo}/pulls/{}/reviews?per_page=100", given["pullNumber"]);
        let all = self.get("get latest review for current user", &path).await?;
        let mut all = all.as_array().into_iter().flatten();
        let found = match self.looking {
            Looking::ForTheDraft => all.find(|review| review["state"] == "PENDING"),
            Looking::AtTheOldest => all.next(),
        };
        match found {
            None => Err("No pending review found for the viewer".to_owned()),
            Some(review) if review["state"] == "PENDING" => Ok(review.clone()),
            Some(review) => Err(format!("The latest review, found at {} is not pending", review["html_url"])),
        }
    }

    async fn review(&self, repo: &str, given: &Value) -> Result<String, String> {
        let reviews = format!("{repo}/pulls/{}/reviews", given["pullNumber"]);
        match given["method"].as_str().unwrap() {
            "create" => {
                let mut body = json!({"commit_id": given["commitID"], "event": given["event"]});
                if given["event"].is_string() {
                    body["body"] = given["body"].clone();
                }
                let answer = self.rest("create", Method::POST, &reviews, Some(body)).await;
                // A refusal by GraphQL has no status.
                answer.map_err(|said| said.split(": ").last().unwrap_or_default()[4..].to_owned())?;
                Ok("pending pull request created".to_owned())
            }
            "submit_pending" => {
                let id = self.draft(repo, given).await?["id"].clone();
                let body = json!({"event": given["event"], "body": given["body"]});
                let path = format!("{reviews}/{id}/events");
                self.rest("submit pull request review", Method::POST, &path, Some(body)).await?;
                Ok("pending pull request review successfully submitted".to_owned())
            }
            "delete_pending" => {
                let path = format!("{reviews}/{}", self.draft(repo, given).await?["id"]);
                self.rest("delete pull request review", Method::DELETE, &path, None).await?;
                Ok("pending pull request review successfully deleted".to_owned())
            }
            "resolve_thread" => {
                let query = "mutation($input: ResolveReviewThreadInput!) { resolveReviewThread(input: $input) { thread { id } } }";
                let variables = json!({"input": {"threadId": given["threadId"]}});
                self.graphql("resolve review thread", query, variables).await?;
                Ok("review thread resolved successfully".to_owned())
            }
            other => Err(format!("unknown method: {other}")),
        }
    }

    async fn draft_comment(&self, repo: &str, given: &Value) -> Result<String, String> {
        let query = "mutation($input: AddPullRequestReviewThreadInput!) { addPullRequestReviewThread(input: $input) { thread { id } } }";
        let mut input = given.clone();
        input["pullRequestReviewId"] = self.draft(repo, given).await?["node_id"].clone();
        let made = self.graphql("add comment", query, json!({"input": input})).await?;
        match made["addPullRequestReviewThread"]["thread"].is_null() {
            true => Err("Failed to add comment to pending review. Possible reasons:\n\t- The line number doesn't exist in \
                the pull request diff\n\t- The file path is incorrect\n\t- The side (LEFT/RIGHT) is invalid for the specified line\n"
                .to_owned()),
            false => Ok("pull request review comment successfully added to pending review".to_owned()),
        }
    }
}

impl ServerHandler for Official {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools: Vec<Tool> = serde_json::from_str(TOOLS).unwrap();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        if let Err(problem) = self.check(&request.name, &arguments) {
            self.improper.lock().unwrap().push(problem.clone());
            return Err(ErrorData::invalid_params(problem, None));
        }
        Ok(match self.called(&request.name, &arguments).await {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]).into(),
            Err(text) => CallToolResult::error(vec![ContentBlock::text(text)]).into(),
        })
    }
}
