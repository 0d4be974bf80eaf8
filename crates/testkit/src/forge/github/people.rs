use serde_json::{Value, json};

use super::{Api, Quota, errors, view};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::account::{Caller, Rights, User};
use crate::forge::model::state::now;
use crate::forge::model::time;

pub(super) fn me(api: &mut Api<'_>) -> Outcome {
    let Caller::Known { user, rights, .. } = &api.caller else {
        return Err(errors::requires_authentication());
    };
    if *rights == Rights::Checks {
        // An installation acts for itself, not for a person.
        return Err(errors::forbidden("Resource not accessible by integration"));
    }
    Ok(Answer::json(200, &public(&api.state.url, user)))
}

pub(super) fn user(api: &mut Api<'_>, login: &str) -> Outcome {
    let known = api.state.users.iter().find(|user| user.login == login).ok_or_else(errors::not_found)?;
    Ok(Answer::json(200, &public(&api.state.url, known)))
}

fn public(url: &str, user: &User) -> Value {
    let value = view::user(url, user);
    let at = time::seconds(time::START);
    let more = json!({
        "name": user.login, "company": null, "blog": "", "location": null, "email": user.email, "hireable": null,
        "bio": null, "public_repos": 0, "public_gists": 0, "followers": 0, "following": 0, "created_at": at,
        "updated_at": at,
    });
    crate::forge::answer::merged(value, more)
}

pub(super) fn rate_limit(api: &mut Api<'_>) -> Outcome {
    let secret = api.call.credential().map(|credential| credential.secret().to_owned());
    let quota = Quota::of(api.state, secret.as_deref());
    let core = json!({
        "limit": quota.limit,
        "used": quota.used,
        "remaining": quota.limit.saturating_sub(quota.used),
        "reset": now() + quota.renewed_in,
    });
    Ok(Answer::json(
        200,
        &json!({ "resources": { "core": core, "search": core, "graphql": core }, "rate": core }),
    ))
}
