//! The fake's answers against GitHub's own description of them (npm `@octokit/openapi`).

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use testkit::forge::{Forge, Rights};

use crate::github_pulls::shop;
use crate::http::{Client, Reply};

struct Contract {
    description: Value,
}

impl Contract {
    /// `None` if the description is not at hand.
    fn load() -> Option<Contract> {
        let path = testkit::installed("COUNTERSIGN_OPENAPI", "GitHub's description of its interface is")?;
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Some(Contract { description: serde_json::from_slice(&text).unwrap() })
    }

    fn schema(&self, method: &str, template: &str, status: u16) -> Value {
        let operation = &self.description["paths"][template][method];
        let mut response = &operation["responses"][status.to_string()];
        if let Some(reference) = response["$ref"].as_str() {
            response = self.description.pointer(reference.trim_start_matches('#')).unwrap();
        }
        let schema = &response["content"]["application/json"]["schema"];
        assert!(!schema.is_null(), "no schema for {method} {template} {status}");
        let mut schemas = Map::new();
        self.collect(schema, &mut BTreeSet::new(), &mut schemas);
        let mut whole = translated(schema);
        whole["components"] = json!({ "schemas": schemas });
        whole
    }

    /// Everything the schema refers to, directly or not.
    fn collect(&self, schema: &Value, seen: &mut BTreeSet<String>, into: &mut Map<String, Value>) {
        match schema {
            Value::Object(fields) => {
                if let Some(name) = fields
                    .get("$ref")
                    .and_then(Value::as_str)
                    .and_then(|name| name.strip_prefix("#/components/schemas/"))
                    && seen.insert(name.to_owned())
                {
                    let target = &self.description["components"]["schemas"][name];
                    into.insert(name.to_owned(), translated(target));
                    self.collect(target, seen, into);
                }
                fields.values().for_each(|inner| self.collect(inner, seen, into));
            }
            Value::Array(items) => items.iter().for_each(|inner| self.collect(inner, seen, into)),
            _ => {}
        }
    }

    fn faults(&self, method: &str, template: &str, status: u16, answer: &Value) -> Vec<String> {
        let schema = self.schema(method, template, status);
        let validator = jsonschema::validator_for(&schema).unwrap();
        validator.iter_errors(answer).map(|error| format!("{} at {}", error, error.instance_path())).collect()
    }

    fn check(&self, method: &str, template: &str, reply: Reply) -> Value {
        let answer = reply.json();
        let faults = self.faults(method, template, reply.status, &answer);
        assert!(faults.is_empty(), "{method} {template} {}:\n{}", reply.status, faults.join("\n"));
        answer
    }
}

/// OpenAPI's `nullable` in the words of JSON Schema.
fn translated(schema: &Value) -> Value {
    match schema {
        Value::Array(items) => Value::Array(items.iter().map(translated).collect()),
        Value::Object(fields) => {
            let mut new: Map<String, Value> = fields
                .iter()
                .filter(|(name, _)| !["example", "examples", "discriminator"].contains(&name.as_str()))
                .map(|(name, inner)| (name.clone(), translated(inner)))
                .collect();
            if fields.get("nullable") == Some(&Value::Bool(true)) {
                new.remove("nullable");
                return json!({ "anyOf": [new, { "type": "null" }] });
            }
            Value::Object(new)
        }
        other => other.clone(),
    }
}

const REPO: &str = "/repos/{owner}/{repo}";

fn clients(forge: &Forge) -> (Client, Client) {
    let client = |token: &str| Client::bearer(&forge.url(), "/api/v3/repos/acme/shop", token);
    (
        client(&forge.token("reviewer", Rights::Write)),
        client(&forge.token("countersign[bot]", Rights::Checks)),
    )
}

fn place() -> Value {
    json!({ "path": "list.txt", "line": 5, "side": "RIGHT", "body": "five?" })
}

#[test]
fn an_answer_that_is_not_like_that_of_github_is_noticed() {
    let Some(contract) = Contract::load() else { return };
    let forge = shop();
    let (github, _) = clients(&forge);
    let mut pull = github.get("/pulls/1").json();
    pull["head"]["repo"].as_object_mut().unwrap().remove("clone_url");
    pull["base"]["user"]["id"] = json!("one");
    let faults = contract.faults("get", "/repos/{owner}/{repo}/pulls/{pull_number}", 200, &pull);
    assert_eq!(faults.len(), 2, "{faults:?}");
}

#[test]
fn pull_requests_look_like_those_of_github() {
    let Some(contract) = Contract::load() else { return };
    let forge = shop();
    let (github, _) = clients(&forge);
    let check =
        |method: &str, end: &str, reply: Reply| contract.check(method, &format!("{REPO}{end}"), reply);
    check("get", "", github.get(""));
    check("get", "/pulls", github.get("/pulls"));
    check("get", "/pulls/{pull_number}", github.get("/pulls/1"));
    check("get", "/pulls/{pull_number}", github.get("/pulls/99"));
    check("get", "/pulls/{pull_number}/files", github.get("/pulls/1/files"));
    check("get", "/pulls/{pull_number}/commits", github.get("/pulls/1/commits"));
    check("patch", "/pulls/{pull_number}", github.patch("/pulls/1", &json!({ "title": "Six" })));
    check("patch", "/pulls/{pull_number}", github.patch("/pulls/1", &json!({ "state": "odd" })));
    forge.commit("acme/shop", "other", &[("more.txt", "more\n")]);
    let wanted = json!({ "title": "Other", "head": "other", "base": "main" });
    check("post", "/pulls", github.post("/pulls", &wanted).expect(201));
    check("post", "/pulls", github.post("/pulls", &wanted).expect(422));
}

#[test]
fn reviews_and_comments_look_like_those_of_github() {
    let Some(contract) = Contract::load() else { return };
    let forge = shop();
    let (github, _) = clients(&forge);
    let check =
        |method: &str, end: &str, reply: Reply| contract.check(method, &format!("{REPO}{end}"), reply);
    let review = json!({ "body": "Seen", "event": "COMMENT", "comments": [place()] });
    let review =
        check("post", "/pulls/{pull_number}/reviews", github.post("/pulls/1/reviews", &review).expect(200));
    let wrong = json!({ "event": "COMMENT", "comments": [{ "path": "list.txt", "line": 99, "body": "x" }] });
    check("post", "/pulls/{pull_number}/reviews", github.post("/pulls/1/reviews", &wrong).expect(422));
    check("get", "/pulls/{pull_number}/reviews", github.get("/pulls/1/reviews"));
    let of_review = format!("/pulls/1/reviews/{}/comments", review["id"]);
    check("get", "/pulls/{pull_number}/reviews/{review_id}/comments", github.get(&of_review).expect(200));
    let all = check("get", "/pulls/{pull_number}/comments", github.get("/pulls/1/comments"));
    let id = &all[0]["id"];
    let reply =
        github.post(&format!("/pulls/1/comments/{id}/replies"), &json!({ "body": "yes" })).expect(201);
    check("post", "/pulls/{pull_number}/comments/{comment_id}/replies", reply);
    let update = github.patch(&format!("/pulls/comments/{id}"), &json!({ "body": "no" })).expect(200);
    check("patch", "/pulls/comments/{comment_id}", update);
    let mut alone = place();
    alone["commit_id"] = json!(forge.pull("acme/shop", 1).head_sha);
    check("post", "/pulls/{pull_number}/comments", github.post("/pulls/1/comments", &alone).expect(201));
    alone["line"] = json!(99);
    check("post", "/pulls/{pull_number}/comments", github.post("/pulls/1/comments", &alone).expect(422));
    let comment = github.post("/issues/1/comments", &json!({ "body": "Hello" })).expect(201);
    let comment = check("post", "/issues/{issue_number}/comments", comment);
    check("get", "/issues/{issue_number}/comments", github.get("/issues/1/comments"));
    let update = github.patch(&format!("/issues/comments/{}", comment["id"]), &json!({ "body": "Bye" }));
    check("patch", "/issues/comments/{comment_id}", update.expect(200));
}

#[test]
fn verdicts_and_branches_look_like_those_of_github() {
    let Some(contract) = Contract::load() else { return };
    let forge = shop();
    let (github, app) = clients(&forge);
    let check =
        |method: &str, end: &str, reply: Reply| contract.check(method, &format!("{REPO}{end}"), reply);
    let sha = forge.pull("acme/shop", 1).head_sha;
    let output = json!({ "title": "Fine", "summary": "Nothing found" });
    let run = json!({ "name": "review", "head_sha": sha, "conclusion": "success", "output": output });
    let run = check("post", "/check-runs", app.post("/check-runs", &run).expect(201));
    let update = app.patch(&format!("/check-runs/{}", run["id"]), &json!({ "conclusion": "failure" }));
    check("patch", "/check-runs/{check_run_id}", update.expect(200));
    check("get", "/commits/{ref}/check-runs", github.get(&format!("/commits/{sha}/check-runs")));
    let status = json!({ "state": "success", "context": "review", "description": "Fine" });
    check("post", "/statuses/{sha}", github.post(&format!("/statuses/{sha}"), &status).expect(201));
    check("get", "/commits/{ref}/status", github.get(&format!("/commits/{sha}/status")));
    check("get", "/commits/{ref}/statuses", github.get(&format!("/commits/{sha}/statuses")));
    check("get", "/branches/{branch}", github.get("/branches/feature").expect(200));
    check("get", "/branches/{branch}", github.get("/branches/missing").expect(404));
    check("get", "/branches", github.get("/branches"));
    check("get", "/git/ref/{ref}", github.get("/git/ref/heads/feature"));
    check("get", "/contents/{path}", github.get("/contents/list.txt"));
    check("get", "/compare/{basehead}", github.get("/compare/main...feature"));
    check("get", "/commits/{ref}", github.get(&format!("/commits/{sha}")));
}

#[test]
fn people_and_quotas_look_like_those_of_github() {
    let Some(contract) = Contract::load() else { return };
    let forge = shop();
    let github = Client::bearer(&forge.url(), "", &forge.token("reviewer", Rights::Write));
    contract.check("get", "/user", github.get("/user"));
    contract.check("get", "/rate_limit", github.get("/rate_limit"));
    let stranger = Client::bearer(&forge.url(), "", "ghp_unknown");
    contract.check("get", "/user", stranger.get("/user").expect(401));
}
