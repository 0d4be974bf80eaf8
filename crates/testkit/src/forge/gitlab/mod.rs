//! GitLab's REST API, version 4.

mod changes;
mod discussions;
mod errors;
mod merge_requests;
mod notes;
mod position;
mod projects;
mod statuses;
pub(super) mod view;

use axum::http::Method;
use serde_json::{Value, json};

use super::answer::{Answer, Outcome};
use super::model::account::{Caller, Rights};
use super::model::pull::Pull;
use super::model::repository::{Repository, Visibility};
use super::model::state::State;
use super::paging::{self, Page};
use super::request::{Call, Credential};

/// One request being answered.
#[derive(Debug)]
struct Api<'a> {
    state: &'a mut State,
    call: &'a Call,
    caller: Caller,
}

pub(super) fn answer(state: &mut State, call: &Call, parts: &[&str]) -> Answer {
    let caller = match call.credential() {
        None => Caller::Nobody,
        // GitLab takes its own header and Bearer; it does not know Basic here.
        Some(Credential::Basic { .. } | Credential::Token(_)) => return errors::unauthorized(),
        Some(credential) => match state.caller(credential.secret()) {
            Some(caller) => caller,
            None => return errors::unauthorized(),
        },
    };
    let mut api = Api { state, call, caller };
    let answer = route(&mut api, parts).unwrap_or_else(|refusal| refusal);
    conditional(call, answer)
        .with("ratelimit-limit", 600)
        .with("ratelimit-remaining", 599)
        .with("ratelimit-observed", 1)
        .with("ratelimit-reset", super::model::state::now() + 60)
}

fn conditional(call: &Call, answer: Answer) -> Answer {
    if call.method != Method::GET || answer.status != 200 {
        return answer;
    }
    let etag = answer.etag();
    if call.header("if-none-match") == Some(etag.as_str()) {
        return Answer::empty(304).with("etag", etag);
    }
    answer.with("etag", etag)
}

fn route(api: &mut Api<'_>, parts: &[&str]) -> Outcome {
    use Method as M;
    match (api.call.method.clone(), parts) {
        (M::GET, ["version"]) => {
            Ok(Answer::json(200, &json!({ "version": "18.5.0", "revision": "0000000" })))
        }
        (M::GET, ["user"]) => projects::me(api),
        (M::GET, ["users"]) => projects::users(api),
        (M::GET, ["projects"]) => projects::list(api),
        (method, ["projects", project, rest @ ..]) => in_project(api, &method, project, rest),
        _ => Err(errors::no_route()),
    }
}

fn in_project(api: &mut Api<'_>, method: &Method, project: &str, rest: &[&str]) -> Outcome {
    use Method as M;
    let path = api.enter(project, if method == M::GET { Rights::Read } else { Rights::Write })?;
    match (method, rest) {
        (&M::GET, []) => projects::get(api, &path),
        (&M::GET, ["repository", "branches"]) => projects::branches(api, &path),
        (&M::GET, ["repository", "branches", name]) => projects::branch(api, &path, name),
        (&M::GET, ["repository", "commits", sha]) => projects::commit(api, &path, sha),
        (&M::GET, ["repository", "commits", sha, "statuses"]) => statuses::list(api, &path, sha),
        (&M::GET, ["repository", "compare"]) => changes::compare(api, &path),
        (&M::GET, ["repository", "files", file]) => projects::file(api, &path, file),
        (&M::GET, ["repository", "files", file, "raw"]) => projects::raw_file(api, &path, file),
        (&M::POST, ["statuses", sha]) => statuses::create(api, &path, sha),
        (&M::GET, ["merge_requests"]) => merge_requests::list(api, &path),
        (&M::POST, ["merge_requests"]) => merge_requests::create(api, &path),
        (method, ["merge_requests", number, rest @ ..]) => {
            let number = api.number(&path, number)?;
            in_merge_request(api, method, &path, number, rest)
        }
        _ => Err(errors::no_route()),
    }
}

fn in_merge_request(api: &mut Api<'_>, method: &Method, path: &str, number: u64, rest: &[&str]) -> Outcome {
    use Method as M;
    match (method, rest) {
        (&M::GET, []) => merge_requests::get(api, path, number),
        (&M::PUT, []) => merge_requests::update(api, path, number),
        (&M::PUT, ["merge"]) => merge_requests::merge(api, path, number),
        (&M::POST, ["approve"]) => merge_requests::approve(api, path, number),
        (&M::GET, ["approvals" | "approval_state"]) => merge_requests::approvals(api, path, number),
        (&M::GET, ["commits"]) => changes::commits(api, path, number),
        (&M::GET, ["versions"]) => changes::versions(api, path, number),
        (&M::GET, ["versions", id]) => changes::version(api, path, number, id),
        (&M::GET, ["diffs"]) => changes::diffs(api, path, number),
        (&M::GET, ["raw_diffs"]) => changes::raw_diffs(api, path, number),
        (&M::GET, ["changes"]) => changes::changes(api, path, number),
        (&M::GET, ["pipelines"]) => Ok(Answer::json(200, &json!([]))),
        (&M::GET, ["notes"]) => notes::list(api, path, number),
        (&M::POST, ["notes"]) => notes::create(api, path, number),
        (&M::GET, ["notes", id]) => notes::get(api, path, number, id),
        (&M::PUT, ["notes", id]) => notes::update(api, path, number, id),
        (&M::DELETE, ["notes", id]) => notes::delete(api, path, number, id),
        (&M::GET, ["discussions"]) => discussions::list(api, path, number),
        (&M::POST, ["discussions"]) => discussions::create(api, path, number),
        (&M::GET, ["discussions", id]) => discussions::get(api, path, number, id),
        (&M::PUT, ["discussions", id]) => discussions::resolve(api, path, number, id),
        (&M::POST, ["discussions", id, "notes"]) => discussions::reply(api, path, number, id),
        (&M::PUT, ["discussions", id, "notes", note]) => {
            discussions::update_note(api, path, number, id, note)
        }
        _ => Err(errors::no_route()),
    }
}

impl Api<'_> {
    /// Lets the caller into a project, by number or by path. It is not there for those who may not see it.
    fn enter(&mut self, project: &str, wanted: Rights) -> Result<String, Answer> {
        let by_number = project.parse().ok().and_then(|id| self.state.repository_by_id(id));
        let found = by_number.or_else(|| self.state.repository(project)).ok_or_else(errors::no_project)?;
        let path = found.path.clone();
        let rights = self.caller.rights_in(&path);
        if found.visibility == Visibility::Private && rights < Rights::Read {
            return Err(errors::no_project());
        }
        if wanted >= Rights::Write && rights < Rights::Write {
            return Err(match self.caller {
                Caller::Nobody => errors::unauthorized(),
                Caller::Known { .. } => errors::insufficient_scope(),
            });
        }
        self.state.sync(&path);
        Ok(path)
    }

    fn number(&self, path: &str, text: &str) -> Result<u64, Answer> {
        let number = text.parse().map_err(|_| errors::bad_request("merge_request_iid is invalid"))?;
        let known = self.state.repository(path).and_then(|repository| repository.pull(number));
        known.map(|pull| pull.number).ok_or_else(errors::not_found)
    }

    fn repository(&self, path: &str) -> Result<&Repository, Answer> {
        self.state.repository(path).ok_or_else(errors::no_project)
    }

    fn pull(&self, path: &str, number: u64) -> Result<&Pull, Answer> {
        self.repository(path)?.pull(number).ok_or_else(errors::not_found)
    }

    fn pull_mut(&mut self, path: &str, number: u64) -> Result<&mut Pull, Answer> {
        let repository = self.state.repository_mut(path).ok_or_else(errors::no_project)?;
        repository.pull_mut(number).ok_or_else(errors::not_found)
    }

    fn list(&self, all: &[Value]) -> Answer {
        if self.call.param("pagination") == Some("keyset") {
            return errors::no_keyset();
        }
        let page = Page::asked(self.call, 20, all.len());
        let answer = Answer::json(200, &Value::Array(page.of(all)));
        paging::gitlab(answer, page, &self.state.url, self.call)
    }

    /// A parameter of the query or of the body.
    fn given(&self, name: &str) -> Option<Value> {
        let call = self.call;
        call.json.get(name).cloned().or_else(|| call.param(name).map(Value::from))
    }

    fn given_text(&self, name: &str) -> Option<String> {
        match self.given(name)? {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    fn needed(&self, name: &str) -> Result<String, Answer> {
        self.given_text(name).ok_or_else(|| errors::bad_request(&format!("{name} is missing")))
    }
}
