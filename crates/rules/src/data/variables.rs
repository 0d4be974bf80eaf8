//! Whether somebody defines what a document names: a condition on nothing never holds, and a correction with a hole in it
//! loses code.

use std::collections::BTreeSet;

use domain::config::ConfigError;
use domain::text::nearest;

use super::compiled::Compiled;
use super::condition::Subject;
use super::entry::{Entry, Form};
use super::read::{Placed, Wrong};
use super::template;

/// What there is to be named.
struct Known<'e> {
    /// Parts of what is found.
    parts: BTreeSet<&'e str>,
    /// What `transform` makes of them.
    made: BTreeSet<&'e str>,
}

/// An error for the first variable of a condition, the message or the correction that stands for nothing.
pub(super) fn check(entry: &Entry, compiled: Option<&Compiled>, placed: &Placed) -> Result<(), ConfigError> {
    let known = Known::of(&entry.form, compiled);
    for (index, test) in entry.tests.iter().enumerate() {
        let wrong = known.missing_in_condition(&test.subject, &entry.form);
        wrong.map_or(Ok(()), |wrong| Err(placed.condition_error(index, wrong)))?;
    }
    let mut said = template::variables(entry.message.as_deref().unwrap_or_default());
    if let Some((name, _)) = said.find(|(name, _)| !known.has(name)) {
        let hint = format!("{}; for the sign itself write `\\$`", known.hint(name));
        return Err(placed.error_of("message", undefined(name, "message", hint)));
    }
    let fix = compiled.and_then(|compiled| compiled.fix.as_ref());
    let mut used: Vec<&str> = fix.map(|fix| fix.used_vars().into_iter().collect()).unwrap_or_default();
    used.sort_unstable();
    if let Some(name) = used.into_iter().find(|name| !known.has(name)) {
        return Err(placed.error_of("fix", undefined(name, "fix", known.hint(name))));
    }
    let other = other_form(&entry.form, &known);
    other.map_or(Ok(()), |wrong| Err(placed.error_of("fix", wrong)))
}

fn undefined(name: &str, key: &str, hint: String) -> Wrong {
    Wrong::about(&format!("${name}"), format!("`${name}` in `{key}` stands for nothing"), hint)
}

/// A list that the correction takes for one of its parts would be lost, and so would a part that it takes for a list.
fn other_form(form: &Form, known: &Known<'_>) -> Option<Wrong> {
    let Form::Pattern { core, fix: Some(fix) } = form else { return None };
    let pattern = serde_json::to_string(core).ok()?;
    let defined: BTreeSet<(&str, bool)> = template::variables(&pattern).collect();
    let is_other = |(name, many): &(&str, bool)| {
        !known.made.contains(name) && !defined.contains(&(*name, *many)) && defined.contains(&(*name, !many))
    };
    let (name, many) = template::variables(fix).find(is_other)?;
    let (used, meant) = if many { ("$$$", "$") } else { ("$", "$$$") };
    let wrong = format!("the pattern has `{meant}{name}`, and not `{used}{name}`");
    Some(Wrong::about(&format!("{used}{name}"), wrong, format!("write `{meant}{name}`, else it is lost")))
}

impl<'e> Known<'e> {
    fn of(form: &'e Form, compiled: Option<&'e Compiled>) -> Self {
        let parts = match form {
            Form::Call(_) => BTreeSet::from(["CALLEE", "RECEIVER"]),
            Form::Assign(_) | Form::Property(_) => BTreeSet::from(["TARGET", "VALUE"]),
            Form::Pattern { .. } => compiled
                .map(|compiled| compiled.matcher.defined_vars().into_iter().collect())
                .unwrap_or_default(),
        };
        let made: BTreeSet<&str> = match form {
            Form::Pattern { core, .. } => {
                core.transform.iter().flat_map(|made| made.keys()).map(String::as_str).collect()
            }
            Form::Call(_) | Form::Assign(_) | Form::Property(_) => BTreeSet::new(),
        };
        Known { parts: parts.difference(&made).copied().collect(), made }
    }

    fn has(&self, name: &str) -> bool {
        self.parts.contains(name) || self.made.contains(name)
    }

    fn missing_in_condition(&self, subject: &Subject, form: &Form) -> Option<Wrong> {
        match (subject, form) {
            (Subject::Variable(name), _) if self.made.contains(name.as_str()) => {
                let wrong = format!(
                    "`{name}` is made by `transform`, and conditions are about parts of what is found"
                );
                Some(Wrong::about(name, wrong, "name the variable that it is made of"))
            }
            (Subject::Variable(name), _) if !self.parts.contains(name.as_str()) => {
                Some(Wrong::about(name, format!("`{name}` in `where` stands for nothing"), self.hint(name)))
            }
            (Subject::Argument(_) | Subject::Any, Form::Assign(_) | Form::Property(_)) => {
                let wrong = "only a call has arguments";
                Some(Wrong::new(wrong, "what is assigned, or stands behind the key, is `variable: VALUE`"))
            }
            _ => None,
        }
    }

    fn hint(&self, name: &str) -> String {
        let all = || self.parts.union(&self.made).copied();
        match nearest(name, all()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None if all().next().is_none() => "the pattern has no variables, `print($A)`".to_owned(),
            None => {
                format!("there is {}", all().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
            }
        }
    }
}
