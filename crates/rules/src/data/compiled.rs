use std::collections::HashMap;

use ast_grep_config::{
    DeserializeEnv, GlobalRules, RuleCore, RuleCoreError, SerializableGlobalRule, SerializableRuleCore,
};
use ast_grep_core::Matcher as _;
use ast_grep_core::replacer::TemplateFix;

use super::grammar::Grammar;
use super::read::Wrong;
use crate::language::Language;

const PATTERN_HINT: &str = "the pattern has to be code of the language; kinds of nodes are its grammar's";

/// A pattern as ast-grep runs it, for one grammar.
pub(super) struct Compiled {
    pub(super) matcher: RuleCore,
    pub(super) fix: Option<TemplateFix>,
    /// Keeps the parts that the pattern refers to.
    _globals: GlobalRules,
}

/// Parts of patterns that several rules share, by name.
pub(super) type Utilities = Vec<(Language, String, SerializableRuleCore)>;

impl Compiled {
    pub(super) fn new(
        core: &SerializableRuleCore,
        fix: Option<&str>,
        grammar: Grammar,
        utilities: &Utilities,
    ) -> Result<Compiled, (&'static str, Wrong)> {
        let shared = utilities.iter().filter(|(language, ..)| *language == grammar.language);
        let shared = shared
            .map(|(_, id, core)| SerializableGlobalRule {
                core: core.clone(),
                id: id.clone(),
                arguments: None,
                language: grammar,
            })
            .collect();
        let globals = DeserializeEnv::parse_global_utils(shared).map_err(|error| refused(&error))?;
        let environment = DeserializeEnv::new(grammar).with_globals(&globals);
        let matcher = core.get_matcher(environment).map_err(|error| refused(&error))?;
        if matcher.potential_kinds().is_none() {
            return Err(("rule", Wrong::new(about_nothing(core, grammar), PATTERN_HINT)));
        }
        let transformed: Vec<String> = core.transform.iter().flat_map(HashMap::keys).cloned().collect();
        let fix = fix.map(|fix| TemplateFix::with_transform(fix, &grammar, &transformed));
        Ok(Compiled { matcher, fix, _globals: globals })
    }
}

fn about_nothing(core: &SerializableRuleCore, grammar: Grammar) -> String {
    let rule = serde_json::to_value(&core.rule).unwrap_or_default();
    match rule.get("pattern").and_then(serde_json::Value::as_str) {
        Some(pattern) => format!("`{pattern}` cannot be read as {}", grammar.language.as_str()),
        None => "the rule has to say which kinds of nodes it is about, by a `pattern` or a `kind`".to_owned(),
    }
}

/// What ast-grep says of a pattern, and the key that it is about.
fn refused(error: &RuleCoreError) -> (&'static str, Wrong) {
    let key = match error {
        RuleCoreError::Utils(_) => "utils",
        RuleCoreError::Constraints(_) => "constraints",
        RuleCoreError::Transform(_) => "transform",
        RuleCoreError::UndefinedMetaVar(name, key) => {
            let hint = format!("the pattern has to have `${name}` in it");
            return (*key, Wrong::about(name, told(error), hint));
        }
        RuleCoreError::Rule(_) | RuleCoreError::Yaml(_) => "rule",
    };
    (key, Wrong::new(told(error), PATTERN_HINT))
}

/// An error with all its causes in one line, without those that the next one only says again.
fn told(error: &dyn std::error::Error) -> String {
    let plain = |error: &dyn std::error::Error| {
        error.to_string().lines().collect::<Vec<_>>().join(" ").trim_end_matches('.').to_owned()
    };
    let causes: Vec<String> = std::iter::successors(Some(error), |error| error.source()).map(plain).collect();
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect()
    };
    let says_again = |index: usize, cause: &String| {
        let next = causes.get(index + 1).map(|next| words(next)).unwrap_or_default();
        words(cause).iter().all(|word| next.contains(word))
    };
    let kept = causes.iter().enumerate().filter(|(index, cause)| !says_again(*index, cause));
    kept.map(|(_, cause)| cause.as_str()).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum Chain {
        #[error("`rule` is wrong.")]
        Rule(#[source] Box<Chain>),
        #[error("Invalid kind")]
        Kind(#[source] Box<Chain>),
        #[error("Kind `a` is invalid.")]
        Name,
    }

    #[test]
    fn causes_are_told_once() {
        let error = Chain::Rule(Box::new(Chain::Kind(Box::new(Chain::Name))));
        assert_eq!(told(&error), "`rule` is wrong: Kind `a` is invalid");
    }
}
