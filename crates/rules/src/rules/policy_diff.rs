//! How two policies differ, and whether the second asks for less.

use domain::config::{Config, RulesPolicy};
use domain::words::{Severity, Weight};
use serde_json::Value;

/// Every key that differs, as `key: old -> new`.
pub(super) fn differences(base: &Config, head: &Config) -> Vec<String> {
    let mut found = Vec::new();
    let value = |config: &Config| serde_json::to_value(config).unwrap_or(Value::Null);
    compare("", &value(base), &value(head), &mut found);
    found
}

fn compare(key: &str, base: &Value, head: &Value, found: &mut Vec<String>) {
    match (base, head) {
        (Value::Object(old), Value::Object(new)) => {
            let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
            for name in keys {
                let below = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                let get = |fields: &serde_json::Map<String, Value>| {
                    fields.get(name).cloned().unwrap_or(Value::Null)
                };
                compare(&below, &get(old), &get(new), found);
            }
        }
        _ if base != head => found.push(format!("{key}: {} -> {}", shown(base), shown(head))),
        _ => {}
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether a change could pass under `head` that would not pass under `base`, as far as single keys tell.
pub(super) fn is_loosened(base: &Config, head: &Config, default: impl Fn(&str) -> Option<Severity>) -> bool {
    gate_loosened(base, head) || rules_loosened(&base.rules, &head.rules, default) || {
        let (old, new) = (&base.suppressions, &head.suppressions);
        (!old.comments && new.comments) || (!old.secrets && new.secrets)
    }
}

fn gate_loosened(base: &Config, head: &Config) -> bool {
    let (old, new) = (&base.gate, &head.gate);
    let lowered = |old: u32, new: u32| new < old;
    let weights = [Weight::Critical, Weight::Important, Weight::Moderate];
    let dimension_loosened = || {
        let now = new.dimensions();
        old.dimensions().into_iter().any(|(dimension, weight, minimum)| {
            match now.iter().find(|(name, _, _)| *name == dimension) {
                // Critical is the smallest: the list goes from heavy to light.
                Some((_, new_weight, new_minimum)) => *new_weight > weight || *new_minimum < minimum,
                None => true,
            }
        })
    };
    new.fail_on > old.fail_on
        || new.overall < old.overall
        || new.allow_skipped.iter().any(|reason| !old.allow_skipped.contains(reason))
        || weights.iter().any(|weight| new.thresholds.of(*weight) < old.thresholds.of(*weight))
        || weights.iter().any(|weight| lowered(old.weights.of(*weight), new.weights.of(*weight)))
        || dimension_loosened()
}

fn rules_loosened(old: &RulesPolicy, new: &RulesPolicy, default: impl Fn(&str) -> Option<Severity>) -> bool {
    let in_force = |policy: &RulesPolicy, id: &str| policy.severity.get(id).copied().or_else(|| default(id));
    new.disable.iter().any(|id| !old.disable.contains(id))
        || old.severity.keys().chain(new.severity.keys()).any(|id| in_force(new, id) < in_force(old, id))
}
