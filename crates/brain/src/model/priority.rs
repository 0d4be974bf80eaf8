//! From the environment to the models that are asked.

use domain::config::ModelPolicy;

use super::provider::{Adapter, PROVIDERS, Provider};
use super::target::{Place, Target};

/// The list of `provider:model`, separated by commas, the preferred one first.
pub const MODEL_PRIORITY: &str = "CODE_REVIEW_LLM_MODEL_PRIORITY";

/// The error says what is missing and how to go on.
pub(super) fn targets(
    variable: &impl Fn(&str) -> Option<String>,
    policy: &ModelPolicy,
) -> Result<Vec<Target>, String> {
    let list = set(variable, MODEL_PRIORITY).ok_or_else(|| {
        format!(
            "{MODEL_PRIORITY} is not set: name the models to ask as provider:model, separated by commas, the \
             preferred one first"
        )
    })?;
    let mut targets: Vec<Target> = Vec::new();
    for entry in list.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
        let target = target(entry, variable, policy).map_err(|error| format!("{MODEL_PRIORITY}: {error}"))?;
        if !targets.iter().any(|other| other.name == target.name) {
            targets.push(target);
        }
    }
    match targets.is_empty() {
        true => Err(format!("{MODEL_PRIORITY} names no model; it wants provider:model, separated by commas")),
        false => Ok(targets),
    }
}

fn target(
    entry: &str,
    variable: &impl Fn(&str) -> Option<String>,
    policy: &ModelPolicy,
) -> Result<Target, String> {
    let Some((provider, model)) = entry.split_once(':') else {
        return Err(format!(
            "`{entry}` does not say whose model it is; write provider:model, with one of {} as the provider",
            PROVIDERS.map(|provider| provider.name).join(", ")
        ));
    };
    let provider = Provider::find(provider.trim())?;
    let model = model.trim().trim_start_matches(':');
    if model.is_empty() {
        return Err(format!("`{entry}` names no model behind the colon"));
    }
    let place = place(provider, variable)?;
    let key = key(provider, variable, &place)?;
    let name = format!("{}:{model}", provider.name);
    let price = policy.prices.get(&name).copied();
    Target::new(provider, name, model, place, key, price)
}

fn place(provider: &Provider, variable: &impl Fn(&str) -> Option<String>) -> Result<Place, String> {
    let given = provider.places.iter().find_map(|name| Some((*name, set(variable, name)?)));
    match given {
        None => Ok(Place::Usual),
        Some((name, given)) => Ok(Place::At(provider.place(name, &given)?)),
    }
}

/// A service of one's own often wants no key; a public one always does.
fn key(
    provider: &Provider,
    variable: &impl Fn(&str) -> Option<String>,
    place: &Place,
) -> Result<Option<String>, String> {
    let found = provider.keys.iter().find_map(|name| Some((*name, set(variable, name)?)));
    match (found, provider.adapter, place) {
        (Some((name, key)), ..) => {
            let usable = key.chars().all(|c| c.is_ascii_graphic());
            usable.then_some(Some(key)).ok_or_else(|| format!("{name} holds characters that no key has"))
        }
        (None, Adapter::Ollama, _) | (None, Adapter::OpenAi, Place::At(_)) => Ok(None),
        (None, Adapter::Of(_), _) | (None, Adapter::OpenAi, Place::Usual) => {
            let name = provider.keys.first().copied().unwrap_or_default();
            Err(format!("`{}` needs a key: set {name}", provider.name))
        }
    }
}

/// A variable that is empty counts as not set.
fn set(variable: &impl Fn(&str) -> Option<String>, name: &str) -> Option<String> {
    variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}
