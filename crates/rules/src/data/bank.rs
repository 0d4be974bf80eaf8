use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use domain::config::ConfigError;
use domain::review::Confidence;
use domain::words::{Category, Severity};

use super::builtin;
use super::compiled::Utilities;
use super::entry::{Entry, core};
use super::examples::{Case, cases};
use super::loaded::Loaded;
use super::read::{Placed, documents};
use super::signs::signs;
use crate::language::Language;
use crate::rule::{RuleInfo, Text};

/// Rules that are data. What a language needs is read when a file of that language is first looked at.
pub(crate) struct Bank {
    /// Without languages and examples, which only [`Bank::whole_infos`] knows.
    heads: Vec<RuleInfo>,
    shelves: Vec<Shelf>,
    utilities: Utilities,
}

struct Shelf {
    language: Language,
    files: &'static [(&'static str, &'static str)],
    loaded: OnceLock<Loaded>,
    /// The examples, which a review does not need.
    cases: OnceLock<Vec<Case>>,
}

static BUILT_IN: LazyLock<Bank> = LazyLock::new(|| {
    let heads = documents("catalogue.yml", builtin::CATALOGUE).unwrap_or_default();
    Bank {
        heads: heads.iter().filter_map(|placed| head(placed).ok()).collect(),
        shelves: builtin::LANGUAGES
            .iter()
            .map(|(language, files)| Shelf {
                language: *language,
                files,
                loaded: OnceLock::new(),
                cases: OnceLock::new(),
            })
            .collect(),
        utilities: documents("utilities.yml", builtin::UTILITIES)
            .unwrap_or_default()
            .iter()
            .filter_map(|placed| utilities(placed).ok())
            .flatten()
            .collect(),
    }
});

/// The rules of this form that come with the product.
pub(crate) fn built_in() -> &'static Bank {
    &BUILT_IN
}

impl Bank {
    /// Of documents that say everything about their rules.
    pub(super) fn of(placed: &[Placed]) -> Result<Bank, ConfigError> {
        let (mut heads, mut shared): (Vec<RuleInfo>, Utilities) = (Vec::new(), Vec::new());
        for one in placed {
            match (&one.document.id, &one.document.utility) {
                (None, Some(name)) => {
                    for utility in utilities(one)? {
                        if shared.iter().any(|(of, known, _)| *of == utility.0 && known == name) {
                            let wrong =
                                format!("there are two utilities `{name}` for {}", utility.0.as_str());
                            return Err(one.error("utility", wrong, "give one of them another name"));
                        }
                        shared.push(utility);
                    }
                }
                (Some(id), None)
                    if heads.iter().any(|head| head.id == *id) && one.document.title.is_none() => {}
                (Some(id), None) if heads.iter().any(|head| head.id == *id) => {
                    let hint = "leave `title` out of a further document of the same rule, or give it an id of its own";
                    return Err(one.error("id", format!("there are two rules `{id}`"), hint));
                }
                (Some(_), None) => heads.push(head(one)?),
                _ => {
                    return Err(one.error(
                        "id",
                        "a rule has an `id`",
                        "or a `utility`, if other rules use it",
                    ));
                }
            }
        }
        let mut by_language: Vec<(Language, Loaded, Vec<Case>)> = Vec::new();
        for one in placed.iter().filter(|one| one.document.id.is_some()) {
            for language in languages(one)? {
                let rule = heads.iter().position(|head| Some(head.id.as_ref()) == one.document.id.as_deref());
                let entry = Entry::new(one, rule.unwrap_or_default(), language)?;
                entry.check(one, &shared)?;
                let at = match by_language.iter().position(|(known, ..)| *known == language) {
                    Some(at) => at,
                    None => {
                        by_language.push((language, Loaded::default(), Vec::new()));
                        by_language.len() - 1
                    }
                };
                by_language[at].2.extend(cases(one, entry.rule, language));
                by_language[at].1.add(entry);
            }
        }
        let shelves = by_language.into_iter().map(|(language, loaded, cases)| Shelf {
            language,
            files: &[],
            loaded: OnceLock::from(loaded.indexed()),
            cases: OnceLock::from(cases),
        });
        Ok(Bank { shelves: shelves.collect(), heads, utilities: shared })
    }

    pub(crate) fn heads(&self) -> &[RuleInfo] {
        &self.heads
    }

    pub(super) fn utilities(&self) -> &Utilities {
        &self.utilities
    }

    pub(crate) fn languages(&self) -> impl Iterator<Item = Language> {
        self.shelves.iter().map(|shelf| shelf.language)
    }

    pub(crate) fn loaded(&self, language: Language) -> Option<&Loaded> {
        let shelf = self.shelves.iter().find(|shelf| shelf.language == language)?;
        Some(shelf.loaded.get_or_init(|| self.load(shelf)))
    }

    /// The examples about one language.
    pub(super) fn cases(&self, language: Language) -> &[Case] {
        let Some(shelf) = self.shelves.iter().find(|shelf| shelf.language == language) else { return &[] };
        shelf.cases.get_or_init(|| {
            let placed =
                shelf.files.iter().flat_map(|(file, text)| documents(file, text).unwrap_or_default());
            let mut found = Vec::new();
            for one in placed {
                if let Some(rule) = self.rule_of(&one, language) {
                    found.extend(cases(&one, rule, language));
                }
            }
            found
        })
    }

    fn load(&self, shelf: &Shelf) -> Loaded {
        let mut loaded = Loaded::default();
        for (file, text) in shelf.files {
            for sign in signs(file, text).filter(|sign| sign.is_about(shelf.language)) {
                if let Some(rule) = self.heads.iter().position(|head| head.id == sign.rule) {
                    loaded.add_unread(sign, file, rule, shelf.language);
                }
            }
        }
        loaded.indexed()
    }

    /// The rule that a document belongs to, if it is about the language.
    fn rule_of(&self, one: &Placed, language: Language) -> Option<usize> {
        let speaks = languages(one).is_ok_and(|languages| languages.contains(&language));
        let is_its = |head: &RuleInfo| Some(head.id.as_ref()) == one.document.id.as_deref();
        self.heads.iter().position(is_its).filter(|_| speaks)
    }

    /// With the languages and examples of each rule: reads every document there is.
    pub(crate) fn whole_infos(&self) -> Vec<RuleInfo> {
        let mut infos = self.heads.clone();
        for language in self.languages().collect::<Vec<_>>() {
            let Some(loaded) = self.loaded(language) else { continue };
            for rule in loaded.rules() {
                if let Some(info) = infos.get_mut(rule)
                    && !info.languages.contains(&language)
                {
                    info.languages.to_mut().push(language);
                }
            }
            for case in self.cases(language) {
                if let Some(info) = infos.get_mut(case.rule) {
                    info.examples.to_mut().push(case.example());
                }
            }
        }
        infos
    }
}

/// A part that rules share, for each of its languages.
fn utilities(placed: &Placed) -> Result<Utilities, ConfigError> {
    let name = placed.document.utility.clone().unwrap_or_default();
    let languages = languages(placed)?.into_iter();
    languages.map(|language| Ok((language, name.clone(), core(placed)?))).collect()
}

fn languages(placed: &Placed) -> Result<Vec<Language>, ConfigError> {
    match &placed.document.language {
        Some(languages) if !languages.as_slice().is_empty() => {
            Ok(languages.as_slice().iter().map(|name| name.0).collect())
        }
        _ => Err(placed.error(
            "id",
            "a rule says which `language` it is about",
            "`language: python`, or a list",
        )),
    }
}

fn head(placed: &Placed) -> Result<RuleInfo, ConfigError> {
    let document = &placed.document;
    let id = document.id.clone().unwrap_or_default();
    let well_formed = !id.is_empty()
        && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !well_formed {
        let wrong = format!("`{id}` is not an id");
        return Err(placed.error(
            "id",
            wrong,
            "use lower-case letters, digits and hyphens, `no-print-in-handlers`",
        ));
    }
    let Some(title) = document.title.clone() else {
        return Err(placed.error(
            "id",
            format!("the rule `{id}` has no `title`"),
            "say in a few words what it finds",
        ));
    };
    let category = document.category.unwrap_or(Category::BestPractices);
    let why = document.why.clone().unwrap_or_else(|| "The project asks for it".to_owned());
    let fix =
        document.fix_hint.clone().unwrap_or_else(|| "Write it as the project does elsewhere".to_owned());
    Ok(RuleInfo {
        id: Cow::Owned(id),
        title: Cow::Owned(title),
        why: match document.cwe {
            Some(number) => Cow::Owned(format!("{why} (CWE-{number})")),
            None => Text::Owned(why),
        },
        fix: Cow::Owned(fix),
        severity: document.severity.unwrap_or(Severity::Medium),
        category,
        dimension: document.dimension.clone().unwrap_or_else(|| category.dimension()),
        confidence: document.confidence.unwrap_or(Confidence::Medium),
        languages: Cow::Owned(Vec::new()),
        examples: Cow::Owned(Vec::new()),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use ast_grep_config::SerializableRule;
    use serde_json::Value;

    use super::*;

    fn all_documents() -> Vec<Placed> {
        let mut seen = BTreeSet::new();
        let files = builtin::LANGUAGES.iter().flat_map(|(_, files)| files.iter());
        let files = files.filter(|(file, _)| seen.insert(*file));
        files
            .flat_map(|(file, text)| documents(file, text).unwrap_or_else(|error| panic!("{error}")))
            .collect()
    }

    #[test]
    fn every_embedded_document_can_be_used() {
        for one in all_documents() {
            let id = one.document.id.clone().unwrap_or_default();
            assert!(
                built_in().heads().iter().any(|head| head.id == id),
                "{}: {id} is in no catalogue",
                one.file
            );
            for language in languages(&one).unwrap_or_else(|error| panic!("{error}")) {
                let entry = Entry::new(&one, 0, language).unwrap_or_else(|error| panic!("{error}"));
                entry.check(&one, built_in().utilities()).unwrap_or_else(|error| panic!("{error}"));
                assert!(entry.literals.is_some(), "{id} in {} would parse every file", one.file);
            }
        }
        assert_eq!(
            documents("catalogue.yml", builtin::CATALOGUE).map(|heads| heads.len()),
            Ok(built_in().heads().len())
        );
    }

    /// A hostile file has a thousand matches in a function of a thousand lines.
    #[test]
    fn no_embedded_pattern_searches_around_each_match() {
        for one in all_documents() {
            let rule = serde_json::to_value(&one.document.rule).unwrap();
            let utils = serde_json::to_value(&one.document.utils).unwrap();
            for part in [rule, utils] {
                let id = one.document.id.as_deref().unwrap_or_default();
                let found = searches_around(&part, &[]);
                assert_eq!(found, None, "{id} in {}: say it by `beside`, which searches once", one.file);
            }
        }
    }

    /// The kinds that hold whole functions, classes and files.
    const WIDE: [&str; 14] = [
        "program",
        "module",
        "source_file",
        "compilation_unit",
        "translation_unit",
        "class_body",
        "class_declaration",
        "class_definition",
        "function_declaration",
        "function_definition",
        "function_expression",
        "arrow_function",
        "method_declaration",
        "method_definition",
    ];

    /// A relation that leads out of a match, and from there through all that it finds; `way` leads to the part.
    fn searches_around(part: &Value, way: &[&str]) -> Option<String> {
        match part {
            Value::Array(list) => list.iter().find_map(|one| searches_around(one, way)),
            Value::Object(keys) => {
                let is_far = keys.get("stopBy").is_some_and(|stop| stop != "neighbor");
                let leaves = way.iter().any(|key| ["inside", "precedes", "follows"].contains(key));
                let within = way.last() == Some(&"has");
                let along = matches!(way.last(), Some(&"precedes" | &"follows"));
                let is_wide = || WIDE.iter().any(|kind| part.to_string().contains(&format!("\"{kind}\"")));
                let reads_all = way.last() == Some(&"inside") && keys.contains_key("regex") && is_wide();
                if leaves
                    && (is_far && within || along && keys.get("stopBy") == Some(&"end".into()) || reads_all)
                {
                    return Some(part.to_string());
                }
                keys.iter().find_map(|(key, inner)| {
                    let way: Vec<&str> = way.iter().copied().chain([key.as_str()]).collect();
                    // What stands in a list is where the list is.
                    searches_around(
                        inner,
                        if ["all", "any", "not"].contains(&key.as_str()) {
                            &way[..way.len() - 1]
                        } else {
                            &way
                        },
                    )
                })
            }
            _ => None,
        }
    }

    #[test]
    fn searches_around_a_match_are_told_from_those_in_it() {
        let told = |rule: &str| {
            let rule: SerializableRule = ast_grep_config::from_str(rule).unwrap();
            searches_around(&serde_json::to_value(rule).unwrap(), &[]).is_some()
        };
        for slow in [
            "{kind: a, inside: {stopBy: end, kind: program, has: {stopBy: end, kind: b}}}",
            "{kind: a, not: {inside: {kind: block, any: [{kind: c}, {all: [{has: {stopBy: {kind: d}, kind: b}}]}]}}}",
            "{kind: a, precedes: {stopBy: end, kind: b}}",
            "{kind: a, inside: {kind: c, follows: {stopBy: end, kind: b}}}",
            "{kind: a, inside: {stopBy: end, any: [{kind: function_definition}], regex: b}}",
        ] {
            assert!(told(slow), "{slow}");
        }
        for fast in [
            "{kind: a, has: {stopBy: end, kind: b}}",
            "{kind: a, inside: {stopBy: end, kind: function_definition, has: {field: name, regex: b}}}",
            "{kind: a, inside: {stopBy: end, kind: call, regex: b}}",
            "{kind: a, follows: {stopBy: {not: {kind: comment}}, regex: b}}",
        ] {
            assert!(!told(fast), "{fast}");
        }
    }

    #[test]
    fn every_language_of_a_rule_has_three_examples_of_either_kind() {
        let mut counts: BTreeMap<(usize, Language), (usize, usize)> = BTreeMap::new();
        for language in built_in().languages() {
            let Some(loaded) = built_in().loaded(language) else { continue };
            for rule in loaded.rules() {
                counts.entry((rule, language)).or_default();
            }
            for example in built_in().cases(language) {
                let count = counts.entry((example.rule, language)).or_default();
                count.0 += example.example().lines.len();
                count.1 += usize::from(example.example().lines.is_empty());
            }
        }
        let short: Vec<String> = counts
            .into_iter()
            .filter(|(_, (bad, good))| *bad < 3 || *good < 3)
            .map(|((rule, language), count)| {
                format!("{} in {}: {count:?}", built_in().heads()[rule].id, language.as_str())
            })
            .collect();
        assert!(short.is_empty(), "{}", short.join("\n"));
    }

    #[test]
    fn every_embedded_example_holds() {
        let report = built_in().test(None);
        let failed: Vec<String> = report
            .failed
            .iter()
            .map(|one| {
                let language = one.language.as_str();
                format!(
                    "{} in {language}: {:?} instead of {:?} in\n{}",
                    one.rule, one.reported, one.expected, one.text
                )
            })
            .collect();
        assert!(failed.is_empty(), "{} wrong\n{}", failed.len(), failed.join("\n"));
    }

    #[test]
    fn every_rule_of_the_catalogue_finds_something() {
        for info in built_in().whole_infos() {
            assert!(!info.languages.is_empty(), "{}", info.id);
        }
    }
}
