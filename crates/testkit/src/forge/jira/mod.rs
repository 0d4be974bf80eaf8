//! Jira's REST API: Cloud with documents under `/rest/api/3`, Server and Data Center with wiki text under
//! `/rest/api/2`.

pub(super) mod adf;
mod adf_check;
mod comments;
mod errors;
mod issues;
mod jql;
pub(super) mod json;
mod links;
mod search;
mod site;
mod transitions;

use axum::http::Method;

use super::answer::{Answer, Outcome};
use super::model::account::{Caller, Rights};
use super::model::state::State;
use super::model::ticket::{Jira, Ticket};
use super::request::{Call, Credential};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Api {
    V2,
    V3,
}

impl Api {
    fn number(self) -> u8 {
        match self {
            Api::V2 => 2,
            Api::V3 => 3,
        }
    }
}

/// One request being answered.
#[derive(Debug)]
struct Request<'a> {
    state: &'a mut State,
    call: &'a Call,
    caller: Caller,
    api: Api,
}

pub(super) fn answer(state: &mut State, call: &Call, api: Api, parts: &[&str]) -> Answer {
    if state.jira == Jira::Server && api == Api::V3 {
        return errors::plain(404, "null for uri: ".to_owned() + &call.path);
    }
    let caller = match caller(state, call) {
        Ok(caller) => caller,
        Err(refusal) => return refusal,
    };
    let mut request = Request { state, call, caller, api };
    route(&mut request, parts).unwrap_or_else(|refusal| refusal)
}

/// Cloud wants e-mail and token, Server a personal token or user and password.
pub(super) fn caller(state: &State, call: &Call) -> Result<Caller, Answer> {
    let Some(credential) = call.credential() else { return Ok(Caller::Nobody) };
    let known = state.caller(credential.secret());
    let fits = match (&credential, state.jira, &known) {
        (Credential::Basic { user, .. }, Jira::Cloud, Some(Caller::Known { user: known, .. })) => {
            *user == known.email
        }
        (Credential::Basic { user, .. }, Jira::Server, Some(Caller::Known { user: known, .. })) => {
            *user == known.login || *user == known.email
        }
        (Credential::Bearer(_), Jira::Server, Some(_)) => true,
        _ => false,
    };
    known.filter(|_| fits).ok_or_else(errors::not_authenticated)
}

fn route(request: &mut Request<'_>, parts: &[&str]) -> Outcome {
    use Method as M;
    match (request.call.method.clone(), parts) {
        (M::GET, ["serverInfo"]) => site::server_info(request),
        (M::GET, ["myself"]) => site::myself(request),
        (M::GET, ["user"]) => site::user(request),
        (M::GET, ["field"]) => site::fields(request),
        (M::GET, ["status"]) => site::statuses(request),
        (M::GET, ["project"]) => site::projects(request),
        (M::GET, ["project", key]) => site::project(request, key),
        (M::GET | M::POST, ["search"]) => search::old(request),
        (M::GET | M::POST, ["search", "jql"]) => search::new(request),
        (method, ["issue", key, rest @ ..]) => in_issue(request, &method, key, rest),
        _ => Err(errors::plain(404, "null for uri: ".to_owned() + &request.call.path)),
    }
}

fn in_issue(request: &mut Request<'_>, method: &Method, key: &str, rest: &[&str]) -> Outcome {
    use Method as M;
    let key = request.enter(key, if method == M::GET { Rights::Read } else { Rights::Write })?;
    match (method, rest) {
        (&M::GET, []) => issues::get(request, &key),
        (&M::PUT, []) => issues::edit(request, &key),
        (&M::GET, ["comment"]) => comments::list(request, &key),
        (&M::POST, ["comment"]) => comments::add(request, &key),
        (&M::GET, ["comment", id]) => comments::get(request, &key, id),
        (&M::PUT, ["comment", id]) => comments::update(request, &key, id),
        (&M::DELETE, ["comment", id]) => comments::delete(request, &key, id),
        (&M::GET, ["transitions"]) => transitions::list(request, &key),
        (&M::POST, ["transitions"]) => transitions::execute(request, &key),
        (&M::GET, ["remotelink"]) => links::list(request, &key),
        (&M::POST, ["remotelink"]) => links::add(request, &key),
        (&M::GET, ["watchers"]) => site::watchers(request, &key),
        _ => Err(errors::plain(404, "null for uri: ".to_owned() + &request.call.path)),
    }
}

impl Request<'_> {
    /// Lets the caller at a ticket, which is not there for those who may not see it. Its number works like its key.
    fn enter(&self, key: &str, wanted: Rights) -> Result<String, Answer> {
        let rights = self.caller.rights();
        if matches!(self.caller, Caller::Nobody) && self.state.jira == Jira::Server {
            return Err(errors::login_required());
        }
        let found = self.state.tickets.iter().find(|ticket| is(ticket, key));
        let ticket = found.filter(|_| rights >= Rights::Read).ok_or_else(errors::no_issue)?;
        if wanted >= Rights::Write && rights < Rights::Write {
            return Err(errors::plain(403, "You do not have the permission to do this.".to_owned()));
        }
        Ok(ticket.key.clone())
    }

    fn ticket(&self, key: &str) -> Result<&Ticket, Answer> {
        self.state.tickets.iter().find(|ticket| is(ticket, key)).ok_or_else(errors::no_issue)
    }

    fn ticket_mut(&mut self, key: &str) -> Result<&mut Ticket, Answer> {
        self.state.tickets.iter_mut().find(|ticket| is(ticket, key)).ok_or_else(errors::no_issue)
    }
}

fn is(ticket: &Ticket, key: &str) -> bool {
    ticket.key.eq_ignore_ascii_case(key) || ticket.id.to_string() == key
}
