use std::sync::OnceLock;

use ast_grep_config::SerializableRuleCore;
use domain::change::RepoPath;
use domain::config::ConfigError;
use domain::review::Confidence;
use domain::words::Severity;
use globset::{Glob, GlobSet, GlobSetBuilder};

use super::beside::Beside;
use super::compiled::Compiled;
pub(super) use super::compiled::Utilities;
use super::condition::{Test, use_of};
use super::grammar::Grammar;
use super::literals;
use super::names::Names;
use super::read::{Placed, Wrong};
use super::variables;
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
    pub(super) besides: Vec<Beside>,
    pub(super) literals: Option<Vec<String>>,
    pub(super) imports: Vec<String>,
    pub(super) unless_imports: Vec<String>,
    pub(super) unless_text: Vec<String>,
    pub(super) unless_near: Vec<String>,
    pub(super) unless_compared: Vec<String>,
    pub(super) unless_said: Vec<String>,
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

impl Form {
    /// Of what it looks for, where it looks for names.
    pub(super) fn names(&self) -> Option<&Names> {
        match self {
            Form::Pattern { .. } => None,
            Form::Call(names) | Form::Assign(names) | Form::Property(names) => Some(names),
        }
    }
}

const HINT: &str = "a document has one of `rule`, `call`, `assign` and `property`, and a `language`";

impl Entry {
    pub(super) fn new(placed: &Placed, rule: usize, language: Language) -> Result<Entry, ConfigError> {
        let document = &placed.document;
        let form = form(placed)?;
        let used = document.used.unwrap_or_else(|| use_of(document.id.as_deref().unwrap_or_default()));
        let tests =
            document.tests.as_slice().iter().enumerate().map(|(index, test)| {
                Test::new(test, used).map_err(|wrong| placed.condition_error(index, wrong))
            });
        let besides =
            document.beside.as_slice().iter().map(|one| Beside::new(one, used)).collect::<Result<_, _>>();
        let literals = match (&form, document.literals.is_empty()) {
            (_, false) => Some(document.literals.clone()),
            (Form::Pattern { core, .. }, _) => literals::required(&core.rule),
            (Form::Call(names) | Form::Assign(names) | Form::Property(names), _) => names.literals(),
        };
        Ok(Entry {
            rule,
            language,
            message: document.message.clone(),
            severity: document.severity,
            confidence: document.confidence,
            form,
            tests: tests.collect::<Result<_, _>>()?,
            besides: besides.map_err(|wrong| placed.error_of("beside", wrong))?,
            literals: literals.filter(|literals| literals.iter().all(|literal| !literal.is_empty())),
            imports: document.imports.clone(),
            unless_imports: document.unless_imports.clone(),
            unless_text: document.unless_text.clone(),
            unless_near: document.unless_near.clone(),
            unless_compared: document.unless_compared.clone(),
            unless_said: document.unless_said.clone(),
            in_tests: document.in_tests,
            files: globs(placed, "files", &document.files)?,
            ignores: globs(placed, "ignores", &document.ignores)?,
            compiled: [const { OnceLock::new() }; 2],
        })
    }

    /// What finds nothing.
    pub(super) fn silent(rule: usize, language: Language) -> Entry {
        Entry {
            rule,
            language,
            message: None,
            severity: None,
            confidence: None,
            form: Form::Call(Names::none()),
            tests: Vec::new(),
            besides: Vec::new(),
            literals: Some(Vec::new()),
            imports: Vec::new(),
            unless_imports: Vec::new(),
            unless_text: Vec::new(),
            unless_near: Vec::new(),
            unless_compared: Vec::new(),
            unless_said: Vec::new(),
            in_tests: false,
            files: None,
            ignores: None,
            compiled: [const { OnceLock::new() }; 2],
        }
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

    /// Whether the pattern is one, in every dialect of the language, and so are the regular expressions; and whether what
    /// the document names is there.
    pub(super) fn check(&self, placed: &Placed, utilities: &Utilities) -> Result<(), ConfigError> {
        for (index, test) in self.tests.iter().enumerate() {
            test.check().map_err(|wrong| placed.condition_error(index, wrong))?;
        }
        for grammar in Grammar::all(self.language) {
            let compiled =
                self.compile(grammar, utilities).map_err(|(key, wrong)| placed.error_of(key, wrong))?;
            variables::check(self, compiled.as_ref(), placed)?;
            let besides = self.besides.iter().try_for_each(|one| one.check(grammar, utilities));
            besides.map_err(|wrong| placed.error_of("beside", wrong))?;
        }
        Ok(())
    }

    /// Or what is wrong, and with which key.
    fn compile(
        &self,
        grammar: Grammar,
        utilities: &Utilities,
    ) -> Result<Option<Compiled>, (&'static str, Wrong)> {
        let Form::Pattern { core, fix } = &self.form else { return Ok(None) };
        Compiled::new(core, fix.as_deref(), grammar, utilities).map(Some)
    }
}

fn form(placed: &Placed) -> Result<Form, ConfigError> {
    let document = &placed.document;
    match (&document.rule, &document.call, &document.assign, &document.property) {
        (Some(_), None, None, None) => {
            Ok(Form::Pattern { core: Box::new(core(placed)?), fix: document.fix.clone() })
        }
        (None, ..) if document.fix.is_some() => {
            let hint = "`fix` replaces what a `rule` matches; for people, write `fix_hint`";
            Err(placed.error("fix", "only a rule with a pattern has a `fix`", hint))
        }
        (None, Some(call), None, None) => {
            Names::called(call.as_slice()).map(Form::Call).map_err(|wrong| placed.error_of("call", wrong))
        }
        (None, None, Some(assign), None) => Names::assigned(assign.as_slice())
            .map(Form::Assign)
            .map_err(|wrong| placed.error_of("assign", wrong)),
        (None, None, None, Some(property)) => Names::keys(property.as_slice())
            .map(Form::Property)
            .map_err(|wrong| placed.error_of("property", wrong)),
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
