//! What missions need besides their ports.

use brain::{MODEL_PRIORITY, listed_models};
use domain::forge::Identity;
use domain::ports::PortError;

use super::brains::{self, Asking};
use super::connections::{accepted, is_set, listed, refused};
use super::{Check, State};
use crate::outward::{Outward, PUBLISH_KEY};
use crate::reviewers::{Places, variable};

const OWN: [&str; 5] =
    ["VCS_PROVIDER", "VCS_BASE_URL", MODEL_PRIORITY, "ARCHITECTURE_DOC_PAGE_ID", PUBLISH_KEY];
const SIGN: &str =
    "set COUNTERSIGN_PUBLISH_KEY to a secret of 16 characters or more, the same for every worker";

/// Those that are of no service.
pub(super) fn variables() -> Check {
    listed("missions", OWN.into_iter())
}

/// Whether what we publish can be told from what others say.
pub(super) fn seal(outward: &Outward, token: &str, identity: Result<Option<Identity>, PortError>) -> Check {
    let signs = outward.publish_key().is_some();
    match identity {
        Err(error) => refused("vcs", token, &error),
        Ok(_) if is_set(PUBLISH_KEY) && !signs => {
            Check::problem("vcs", format!("{PUBLISH_KEY} is too short to keep a secret"), SIGN)
        }
        Ok(Some(us)) => accepted("vcs", token, &us),
        Ok(None) if signs => {
            let said =
                "is accepted; who it belongs to is not said, and comments are signed with a key instead";
            Check::ok("vcs", format!("{token} {said}"))
        }
        Ok(None) => Check::problem(
            "vcs",
            format!(
                "{token} is accepted; who it belongs to is not said, and there is no key to sign comments with: no review can \
                 be published"
            ),
            SIGN,
        ),
    }
}

/// Whether git fetches for missions, and into what.
pub(super) fn git(outward: &Outward) -> Check {
    if !outward.config.connect.mirror {
        return Check::ok("git", "missions review the diff of the port alone: connect.mirror is off");
    }
    let Some(mirrors) = Places::of_this_user().mirrors else {
        return Check::problem(
            "git",
            "connect.mirror is on, and there is no place to keep a mirror in",
            "set XDG_CACHE_HOME or HOME to a folder",
        );
    };
    let lets_in = outward.provider().is_ok_and(|provider| outward.authorization(provider).is_some());
    match lets_in {
        true => Check::ok("git", format!("missions fetch commits into {}", mirrors.display())),
        false => Check::warning(
            "git",
            format!("missions fetch commits into {}, and git has no token", mirrors.display()),
            "set GITHUB_TOKEN or GITLAB_TOKEN, unless every repository is public",
        ),
    }
}

/// One that can be asked is enough; the others are said.
pub(super) fn models(outward: &Outward, asking: Asking) -> Vec<Check> {
    let listed = listed_models(variable, &outward.config.model);
    let mut checks: Vec<Check> = listed.iter().map(brains::model).collect();
    if !checks.iter().any(|check| check.state == State::Ok) {
        checks.push(Check::problem(
            "model",
            format!("no model can be asked: see {MODEL_PRIORITY}"),
            format!(
                "set {MODEL_PRIORITY}=provider:model and its key; `countersign doctor` says which keys are set"
            ),
        ));
    }
    match asking {
        Asking::Nobody => {}
        Asking::EverybodyConfigured => checks.extend(brains::models_pinged(&outward.config)),
    }
    checks
}
