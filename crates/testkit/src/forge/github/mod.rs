//! GitHub's REST API as `api.github.com` and, under `/api/v3`, as GitHub Enterprise serves it.

mod check_runs;
mod comments;
mod drafts;
mod errors;
mod graphql;
mod people;
pub(super) mod pull_json;
mod pulls;
mod repositories;
mod review_comments;
mod reviews;
mod statuses;
mod threads;
pub(super) mod view;

use axum::http::Method;
use serde_json::{Value, json};

use super::answer::{Answer, Outcome};
use super::faults;
use super::model::account::{Caller, Rights};
use super::model::repository::Visibility;
use super::model::state::{State, now};
use super::paging::{self, Page};
use super::request::Call;

/// What a caller without a token has per hour.
const ANONYMOUS_QUOTA: u32 = 60;

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
        Some(credential) => match state.caller(credential.secret()) {
            Some(caller) => caller,
            None => return errors::bad_credentials(),
        },
    };
    let secret = call.credential().map(|credential| credential.secret().to_owned());
    let quota = Quota::of(state, secret.as_deref());
    if parts != ["rate_limit"] && quota.used >= quota.limit {
        return faults::primary(call, state.limits.renewed_in);
    }
    let mut api = Api { state, call, caller };
    let answer = route(&mut api, parts).unwrap_or_else(|refusal| refusal);
    let (answer, cost) = conditional(call, answer);
    let cost = if parts == ["rate_limit"] { 0 } else { cost };
    let quota = Quota { used: quota.used + cost, ..quota };
    if let Some(token) = secret.and_then(|secret| state.tokens.iter_mut().find(|token| token.value == secret))
    {
        token.used = quota.used;
    }
    quota.headers(answer)
}

fn route(api: &mut Api<'_>, parts: &[&str]) -> Outcome {
    use Method as M;
    let method = api.call.method.clone();
    match (method, parts) {
        (M::GET, ["user"]) => people::me(api),
        (M::GET, ["users", login]) => people::user(api, login),
        (M::GET, ["rate_limit"]) => people::rate_limit(api),
        (M::GET, ["meta"]) => Ok(Answer::json(200, &json!({ "verifiable_password_authentication": false }))),
        (M::POST, ["graphql"]) => graphql::answer(api),
        (method, ["repos", owner, name, rest @ ..]) => {
            in_repository(api, &method, &format!("{owner}/{name}"), rest)
        }
        _ => Err(errors::not_found()),
    }
}

fn in_repository(api: &mut Api<'_>, method: &Method, path: &str, rest: &[&str]) -> Outcome {
    use Method as M;
    let reads = method == M::GET || method == M::HEAD;
    api.enter(path, if reads { Rights::Read } else { Rights::Write })?;
    let verb = if method == M::HEAD { &M::GET } else { method };
    match (verb, rest) {
        (&M::GET, []) => repositories::get(api, path),
        (&M::GET, ["branches"]) => repositories::branches(api, path),
        (&M::GET, ["branches", name @ ..]) => repositories::branch(api, path, &name.join("/")),
        (&M::GET, ["git", "ref", name @ ..]) => repositories::reference(api, path, &name.join("/")),
        (&M::GET, ["git", "matching-refs", name @ ..]) => repositories::matching(api, path, &name.join("/")),
        (&M::POST, ["git", "refs"]) => repositories::create_reference(api, path),
        (&M::DELETE, ["git", "refs", name @ ..]) => {
            repositories::delete_reference(api, path, &name.join("/"))
        }
        (&M::GET, ["contents", file @ ..]) => repositories::contents(api, path, &file.join("/")),
        (&M::GET, ["commits", name, "check-runs"]) => check_runs::list(api, path, name),
        (&M::GET, ["commits", name, "status"]) => statuses::combined(api, path, name),
        (&M::GET, ["commits", name, "statuses"]) => statuses::list(api, path, name),
        (&M::GET, ["commits", name, "pulls"]) => pulls::of_commit(api, path, name),
        (&M::GET, ["commits", name @ ..]) => repositories::commit(api, path, &name.join("/")),
        (&M::GET, ["compare", range @ ..]) => repositories::compare(api, path, &range.join("/")),
        (&M::POST, ["statuses", sha]) => statuses::create(api, path, sha),
        (&M::POST, ["check-runs"]) => check_runs::create(api, path),
        (&M::GET, ["check-runs", id]) => check_runs::get(api, path, id),
        (&M::PATCH, ["check-runs", id]) => check_runs::update(api, path, id),
        (verb, ["issues", rest @ ..]) => comments::route(api, verb, path, rest),
        (verb, ["pulls", rest @ ..]) => in_pulls(api, verb, path, rest),
        _ => Err(errors::not_found()),
    }
}

fn in_pulls(api: &mut Api<'_>, verb: &Method, path: &str, rest: &[&str]) -> Outcome {
    use Method as M;
    match (verb, rest) {
        (&M::GET, []) => pulls::list(api, path),
        (&M::POST, []) => pulls::create(api, path),
        (&M::GET, ["comments"]) => review_comments::list_all(api, path),
        (&M::GET, ["comments", id]) => review_comments::get(api, path, id),
        (&M::PATCH, ["comments", id]) => review_comments::update(api, path, id),
        (&M::DELETE, ["comments", id]) => review_comments::delete(api, path, id),
        (verb, [number, rest @ ..]) => {
            let number = api.pull_number(path, number)?;
            in_pull(api, verb, path, number, rest)
        }
        _ => Err(errors::not_found()),
    }
}

fn in_pull(api: &mut Api<'_>, verb: &Method, path: &str, number: u64, rest: &[&str]) -> Outcome {
    use Method as M;
    match (verb, rest) {
        (&M::GET, []) => pulls::get(api, path, number),
        (&M::PATCH, []) => pulls::update(api, path, number),
        (&M::GET, ["files"]) => pulls::files(api, path, number),
        (&M::GET, ["commits"]) => pulls::commits(api, path, number),
        (&M::GET, ["merge"]) => pulls::is_merged(api, path, number),
        (&M::PUT, ["merge"]) => pulls::merge(api, path, number),
        (&M::GET, ["reviews"]) => reviews::list(api, path, number),
        (&M::POST, ["reviews"]) => reviews::create(api, path, number),
        (&M::GET, ["reviews", id]) => reviews::get(api, path, number, id),
        (&M::PUT, ["reviews", id]) => reviews::update(api, path, number, id),
        (&M::DELETE, ["reviews", id]) => reviews::delete_pending(api, path, number, id),
        (&M::GET, ["reviews", id, "comments"]) => reviews::comments(api, path, number, id),
        (&M::POST, ["reviews", id, "events"]) => reviews::submit(api, path, number, id),
        (&M::PUT, ["reviews", id, "dismissals"]) => reviews::dismiss(api, path, number, id),
        (&M::GET, ["comments"]) => review_comments::list(api, path, number),
        (&M::POST, ["comments"]) => review_comments::create(api, path, number),
        (&M::POST, ["comments", id, "replies"]) => review_comments::reply(api, path, number, id),
        _ => Err(errors::not_found()),
    }
}

impl Api<'_> {
    /// Lets the caller into a repository, which looks as if it were not there to those who may not see it.
    fn enter(&mut self, path: &str, wanted: Rights) -> Result<(), Answer> {
        let repository = self.state.repository(path).ok_or_else(errors::not_found)?;
        let rights = self.caller.rights_in(path);
        let seen = repository.visibility == Visibility::Public || rights >= Rights::Read;
        if !seen {
            return Err(errors::not_found());
        }
        if wanted >= Rights::Write && rights < Rights::Write {
            return Err(match self.caller {
                Caller::Nobody => errors::requires_authentication(),
                Caller::Known { .. } => errors::forbidden("Resource not accessible by personal access token"),
            });
        }
        self.state.sync(path);
        Ok(())
    }

    fn pull_number(&self, path: &str, text: &str) -> Result<u64, Answer> {
        let number = text.parse().map_err(|_| errors::not_found())?;
        let known = self.state.repository(path).and_then(|repository| repository.pull(number));
        known.map(|pull| pull.number).ok_or_else(errors::not_found)
    }

    fn list(&self, all: &[Value]) -> Answer {
        let page = Page::asked(self.call, 30, all.len());
        let answer = Answer::json(200, &Value::Array(page.of(all)));
        paging::github(answer, page, &self.state.url, self.call)
    }

    /// A list inside an object that also says how long it is.
    fn counted(&self, name: &str, all: &[Value]) -> Answer {
        let page = Page::asked(self.call, 30, all.len());
        let answer = Answer::json(200, &json!({ "total_count": all.len(), name: page.of(all) }));
        paging::github(answer, page, &self.state.url, self.call)
    }

    fn accepts(&self, kind: &str) -> bool {
        let accept = self.call.header("accept").unwrap_or_default();
        accept.starts_with("application/vnd.github")
            && accept.split(';').any(|part| part.trim().ends_with(kind))
    }
}

/// An answer the caller already has costs nothing.
fn conditional(call: &Call, answer: Answer) -> (Answer, u32) {
    if call.method != Method::GET || answer.status != 200 {
        return (answer, 1);
    }
    let etag = answer.etag();
    let known =
        call.header("if-none-match").is_some_and(|known| known.split(',').any(|known| known.trim() == etag));
    if known {
        return (Answer::empty(304).with("etag", etag), 0);
    }
    (answer.with("etag", etag).with("cache-control", "private, max-age=60, s-maxage=60"), 1)
}

#[derive(Debug, Clone, Copy)]
struct Quota {
    limit: u32,
    used: u32,
    renewed_in: u64,
}

impl Quota {
    fn of(state: &State, secret: Option<&str>) -> Quota {
        let renewed_in = state.limits.renewed_in;
        let token = secret.and_then(|secret| state.tokens.iter().find(|token| token.value == secret));
        match token {
            Some(token) => Quota { limit: state.limits.requests, used: token.used, renewed_in },
            None => Quota { limit: ANONYMOUS_QUOTA, used: 0, renewed_in },
        }
    }

    fn headers(self, answer: Answer) -> Answer {
        if answer.headers.iter().any(|(name, _)| name == "x-ratelimit-remaining") {
            return answer;
        }
        answer
            .with("x-ratelimit-limit", self.limit)
            .with("x-ratelimit-remaining", self.limit.saturating_sub(self.used))
            .with("x-ratelimit-used", self.used)
            .with("x-ratelimit-reset", now() + self.renewed_in)
            .with("x-ratelimit-resource", "core")
            .with("x-github-media-type", "github.v3; format=json")
    }
}
