use std::collections::HashMap;
use std::sync::OnceLock;

use ast_grep_config::{DeserializeEnv, GlobalRules, RuleCore, SerializableGlobalRule, SerializableRuleCore};
use ast_grep_core::Matcher as _;
use ast_grep_core::replacer::TemplateFix;
use domain::change::RepoPath;
use domain::config::ConfigError;
use domain::review::Confidence;
use domain::words::Severity;
use globset::{Glob, GlobSet, GlobSetBuilder};

use super::condition::Test;
use super::document::OneOrMany;
use super::grammar::Grammar;
use super::literals;
use super::read::Placed;
use crate::language::Language;

/// What one document finds, and under which conditions.
pub(super) struct Entry {
    /// Of the rule, in the bank.
    pub(super) rule: usize,
    pub(super) language: Language,
    pub(super) message: Option<String>,
    /// Where it is not the rule's own.
    pub(super) severity: Option<Severity>,
    pub(super) confidence: Option<Confidence>,
    pub(super) form: Form,
    pub(super) tests: Vec<Test>,
    pub(super) literals: Option<Vec<String>>,
    pub(super) imports: Vec<String>,
    pub(super) unless_imports: Vec<String>,
    pub(super) unless_text: Vec<String>,
    pub(super) unless_near: Vec<String>,
    pub(super) in_tests: bool,
    files: Option<GlobSet>,
    ignores: Option<GlobSet>,
    /// By [`Grammar::form`].
    compiled: [OnceLock<Option<Compiled>>; 2],
}

pub(super) enum Form {
    Pattern { core: Box<SerializableRuleCore>, fix: Option<String> },
    Call(Names),
    Assign(Names),
    Property(Names),
}

/// A pattern as ast-grep runs it, for one grammar.
pub(super) struct Compiled {
    pub(super) matcher: RuleCore,
    pub(super) fix: Option<TemplateFix>,
    /// Keeps the parts that the pattern refers to.
    _globals: GlobalRules,
}

/// Parts of patterns that several rules share, by name.
pub(super) type Utilities = Vec<(Language, String, SerializableRuleCore)>;

/// Whole names, and names of methods of anything.
#[derive(Debug)]
pub(super) struct Names(Vec<String>);

impl Names {
    pub(super) fn fit(&self, whole: &str) -> bool {
        let is_method = whole.contains('.');
        let last = last(whole);
        self.0.iter().any(|name| match name.strip_prefix("*.") {
            None if name == "*" => true,
            Some(method) if method.contains('.') => {
                whole.strip_suffix(method).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
            Some(method) => is_method && method == last,
            None => name == whole,
        })
    }

    /// The last part of each, which what fits ends in; `*` for whatever fits everything.
    pub(super) fn endings(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|name| last(name))
    }

    pub(super) fn last_parts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|name| name.rsplit(['.', '/']).next().unwrap_or(name).trim_end_matches("()"))
    }
}

/// What a name ends in.
pub(super) fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

const HINT: &str = "a document has one of `rule`, `call`, `assign` and `property`, and a `language`";

impl Entry {
    pub(super) fn new(placed: &Placed, rule: usize, language: Language) -> Result<Entry, ConfigError> {
        let document = &placed.document;
        let form = form(placed)?;
        let tests = document.tests.as_slice().iter().map(Test::new).collect::<Result<_, _>>();
        let literals = match (&form, document.literals.is_empty()) {
            (_, false) => Some(document.literals.clone()),
            (Form::Pattern { core, .. }, _) => literals::required(&core.rule),
            (Form::Call(names) | Form::Assign(names) | Form::Property(names), _) => {
                Some(names.last_parts().map(str::to_owned).collect())
            }
        };
        Ok(Entry {
            rule,
            language,
            message: document.message.clone(),
            severity: document.severity,
            confidence: document.confidence,
            form,
            tests: tests.map_err(|wrong: String| placed.error("where", wrong, HINT))?,
            literals: literals.filter(|literals| literals.iter().all(|literal| !literal.is_empty())),
            imports: document.imports.clone(),
            unless_imports: document.unless_imports.clone(),
            unless_text: document.unless_text.clone(),
            unless_near: document.unless_near.clone(),
            in_tests: document.in_tests,
            files: globs(placed, "files", &document.files)?,
            ignores: globs(placed, "ignores", &document.ignores)?,
            compiled: [const { OnceLock::new() }; 2],
        })
    }

    pub(super) fn looks_at(&self, path: &RepoPath) -> bool {
        if self.files.is_none() && self.ignores.is_none() {
            return true;
        }
        let path = path.to_string();
        self.files.as_ref().is_none_or(|files| files.is_match(&path))
            && !self.ignores.as_ref().is_some_and(|ignores| ignores.is_match(&path))
    }

    /// The pattern for a grammar, compiled when it is first needed. `None` for other forms, and for a pattern that is
    /// wrong, which [`Entry::check`] tells.
    pub(super) fn compiled(&self, grammar: Grammar, utilities: &Utilities) -> Option<&Compiled> {
        let slot = self.compiled.get(grammar.form())?;
        slot.get_or_init(|| self.compile(grammar, utilities).ok().flatten()).as_ref()
    }

    /// Whether the pattern is one, in every dialect of the language, and so are the regular expressions.
    pub(super) fn check(&self, placed: &Placed, utilities: &Utilities) -> Result<(), ConfigError> {
        let conditions = self.tests.iter().try_for_each(Test::check);
        conditions.map_err(|wrong| placed.error("where", wrong, HINT))?;
        for grammar in Grammar::all(self.language) {
            self.compile(grammar, utilities).map_err(|wrong| {
                placed.error(
                    "rule",
                    wrong,
                    "the pattern has to be code of the language; kinds of nodes are its grammar's",
                )
            })?;
        }
        Ok(())
    }

    fn compile(&self, grammar: Grammar, utilities: &Utilities) -> Result<Option<Compiled>, String> {
        let Form::Pattern { core, fix } = &self.form else { return Ok(None) };
        let shared = utilities.iter().filter(|(language, ..)| *language == grammar.language);
        let shared = shared
            .map(|(_, id, core)| SerializableGlobalRule {
                core: core.clone(),
                id: id.clone(),
                arguments: None,
                language: grammar,
            })
            .collect();
        let globals = DeserializeEnv::parse_global_utils(shared).map_err(|error| told(&error))?;
        let environment = DeserializeEnv::new(grammar).with_globals(&globals);
        let matcher = core.get_matcher(environment).map_err(|error| told(&error))?;
        if matcher.potential_kinds().is_none() {
            return Err(
                "the rule has to say which kinds of nodes it is about, by a `pattern` or a `kind`".to_owned()
            );
        }
        let transformed: Vec<String> = core.transform.iter().flat_map(HashMap::keys).cloned().collect();
        let fix = fix.as_deref().map(|fix| TemplateFix::with_transform(fix, &grammar, &transformed));
        Ok(Some(Compiled { matcher, fix, _globals: globals }))
    }
}

/// An error with all its causes in one line.
fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{} {inner}", text.trim_end_matches('.'));
        cause = inner.source();
    }
    text.lines().collect::<Vec<_>>().join(" ")
}

fn form(placed: &Placed) -> Result<Form, ConfigError> {
    let document = &placed.document;
    let names = |names: &OneOrMany<String>| Names(names.as_slice().to_vec());
    match (&document.rule, &document.call, &document.assign, &document.property) {
        (Some(_), None, None, None) => {
            Ok(Form::Pattern { core: Box::new(core(placed)?), fix: document.fix.clone() })
        }
        (None, ..) if document.fix.is_some() => {
            let hint = "`fix` replaces what a `rule` matches; for people, write `fix_hint`";
            Err(placed.error("fix", "only a rule with a pattern has a `fix`", hint))
        }
        (None, Some(call), None, None) => Ok(Form::Call(names(call))),
        (None, None, Some(assign), None) => Ok(Form::Assign(names(assign))),
        (None, None, None, Some(property)) => Ok(Form::Property(names(property))),
        _ => Err(placed.error("id", "it is not clear what this rule looks for", HINT)),
    }
}

pub(super) fn core(placed: &Placed) -> Result<SerializableRuleCore, ConfigError> {
    let document = &placed.document;
    let Some(rule) = document.rule.clone() else {
        return Err(placed.error("utility", "a part of rules needs a `rule`", HINT));
    };
    Ok(SerializableRuleCore {
        rule,
        constraints: document.constraints.clone(),
        utils: document.utils.clone(),
        transform: document.transform.clone(),
    })
}

fn globs(placed: &Placed, key: &str, patterns: &[String]) -> Result<Option<GlobSet>, ConfigError> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    let wrong = |error: globset::Error| {
        placed.error(key, error.to_string(), "write paths from the root of the repository, `src/**/*.py`")
    };
    for pattern in patterns {
        set.add(Glob::new(pattern).map_err(wrong)?);
    }
    set.build().map(Some).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_or_of_a_method() {
        let names =
            Names(vec!["os.system".into(), "*.execute".into(), "eval".into(), "*.csrf().disable".into()]);
        for fits in
            ["os.system", "cursor.execute", "?.execute", "a.b().execute", "eval", "http.csrf().disable"]
        {
            assert!(names.fit(fits), "{fits}");
        }
        for other in ["system", "my.os.system", "execute", "model.eval", "executemany", "disable"] {
            assert!(!names.fit(other), "{other}");
        }
    }
}
