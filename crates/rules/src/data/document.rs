use std::collections::{BTreeMap, HashMap};

use ast_grep_config::{SerializableRule, Transformation};
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use serde::Deserialize;

use super::shapes::{OneOrMany, Selector};
use crate::flow::Use;
use crate::language::Language;

/// One document of a rule file. A rule may have several, as many as it needs to say what it finds in each language;
/// what is told about the rule stands in the first.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleDocument {
    pub(super) id: Option<String>,
    /// Instead of `id`: a part that rules of the same language use by `matches`.
    pub(super) utility: Option<String>,

    pub(super) title: Option<String>,
    pub(super) why: Option<String>,
    pub(super) fix_hint: Option<String>,
    pub(super) severity: Option<Severity>,
    pub(super) category: Option<Category>,
    pub(super) dimension: Option<Dimension>,
    pub(super) confidence: Option<Confidence>,
    pub(super) cwe: Option<u32>,

    pub(super) language: Option<OneOrMany<LanguageName>>,
    pub(super) message: Option<String>,
    /// One of these has to stand in the file; derived from the patterns where it is not said.
    #[serde(default)]
    pub(super) literals: Vec<String>,

    pub(super) rule: Option<SerializableRule>,
    pub(super) constraints: Option<HashMap<String, SerializableRule>>,
    pub(super) utils: Option<HashMap<String, SerializableRule>>,
    pub(super) transform: Option<HashMap<String, Transformation>>,
    pub(super) fix: Option<String>,

    /// Whole names of what is called, imports resolved; `*.name` for a method of anything.
    pub(super) call: Option<OneOrMany<String>>,
    /// Whole names of what is assigned to; `*` for anything.
    pub(super) assign: Option<OneOrMany<String>>,
    /// Keys of object literals and dictionaries.
    pub(super) property: Option<OneOrMany<String>>,

    /// What the value becomes where it is found, if that is not what the rule is mostly about.
    #[serde(rename = "use")]
    pub(super) used: Option<Use>,
    #[serde(default, rename = "where")]
    pub(super) tests: OneOrMany<TestDocument>,
    /// What else has to stand near it, in this order where one comes between.
    #[serde(default)]
    pub(super) beside: OneOrMany<BesideDocument>,
    /// The file has to import one of these.
    #[serde(default)]
    pub(super) imports: Vec<String>,
    /// And none of these.
    #[serde(default)]
    pub(super) unless_imports: Vec<String>,
    /// Nothing is reported in a file that holds one of these anywhere.
    #[serde(default)]
    pub(super) unless_text: Vec<String>,
    /// Nor in a function, or outside all of them, whose code holds one of these.
    #[serde(default)]
    pub(super) unless_near: Vec<String>,
    /// Nor in one that compares what one of these gave with something.
    #[serde(default)]
    pub(super) unless_compared: Vec<String>,
    /// Nor where code or a comment of it does: words that say what something is for, and do not protect it.
    #[serde(default)]
    pub(super) unless_said: Vec<String>,
    /// Whether tests are looked at as well.
    #[serde(default)]
    pub(super) in_tests: bool,
    #[serde(default)]
    pub(super) files: Vec<String>,
    #[serde(default)]
    pub(super) ignores: Vec<String>,

    #[serde(default)]
    pub(super) examples: ExamplesDocument,
}

/// A condition on a part of what was found.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub(super) struct TestDocument {
    /// A place, counted from 0 among the arguments without a name, or a name; of several the first that is there.
    /// `any` for whichever.
    pub(super) argument: Option<OneOrMany<Selector>>,
    /// A meta-variable of the pattern; of a call `RECEIVER`, of an assignment `TARGET` and `VALUE`.
    pub(super) variable: Option<String>,
    #[serde(default)]
    pub(super) is: OneOrMany<Quality>,
    #[serde(default)]
    pub(super) not: OneOrMany<Quality>,
    /// A regular expression on the constant value, or on the source where it has none.
    pub(super) matches: Option<String>,
    pub(super) differs: Option<String>,
    /// A regular expression on the type a variable is declared with, or the name of the call that made it.
    #[serde(rename = "type")]
    pub(super) of_type: Option<String>,
    /// A regular expression on the whole name of what is called, imports resolved.
    pub(super) named: Option<String>,
    /// The call does not pass it.
    #[serde(default)]
    pub(super) missing: bool,
}

/// Something else that has to stand in the same file, class or function.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub(super) struct BesideDocument {
    #[serde(rename = "in")]
    pub(super) place: Place,
    pub(super) rule: SerializableRule,
    pub(super) constraints: Option<HashMap<String, SerializableRule>>,
    /// Meta-variables that have to stand for the same text in both.
    #[serde(default)]
    pub(super) same: OneOrMany<String>,
    /// A meta-variable of the first whose text has to be named in this.
    pub(super) mentions: Option<String>,
    /// Conditions on its own meta-variables.
    #[serde(default, rename = "where")]
    pub(super) tests: OneOrMany<TestDocument>,
    pub(super) order: Option<Order>,
    /// It must not stand there.
    #[serde(default)]
    pub(super) none: bool,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Place {
    File,
    /// The nearest one.
    Class,
    /// The outermost one; outside all of them what is outside, too.
    Function,
}

/// Where it stands.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Order {
    Before,
    After,
    /// Behind the one that was asked for before this, and before the match.
    Between,
}

/// What a value can be, as far as its function tells.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Quality {
    Constant,
    /// Not constant and not made harmless.
    #[serde(alias = "not-constant")]
    Dynamic,
    /// From a request.
    Tainted,
    /// From a request, the command line or standard input.
    Input,
    /// Input, or a parameter of the function.
    Outside,
    /// A text put together from constant and dynamic parts.
    Built,
    /// Built, and the constant parts read like a query.
    Sql,
    /// Built, and something of it stands where a query has a value, behind `=` or `LIKE`.
    SqlValue,
    /// Built, and the constant parts read like markup.
    Html,
    /// A command that gives a shell a script, of which a part is dynamic.
    Shell,
    /// Tainted where it names a host: at the beginning, or right behind the scheme.
    Target,
    /// Has the name of an archive's entry in it.
    Entry,
    /// No step of it leads up, so that it does no harm as a path below a folder.
    Below,
    /// No line ends in it, so that it does no harm in a log.
    OneLine,
    /// A regular expression, written in the program, that repeats a choice among texts that are the same.
    SlowPattern,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct ExamplesDocument {
    #[serde(default)]
    pub(super) bad: Listed,
    #[serde(default)]
    pub(super) good: Listed,
}

/// For all languages of the document, or by language.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Listed {
    ForAll(Vec<String>),
    ByLanguage(BTreeMap<LanguageName, Vec<String>>),
}

impl Default for Listed {
    fn default() -> Self {
        Listed::ForAll(Vec::new())
    }
}

impl Listed {
    pub(super) fn of(&self, language: Language) -> &[String] {
        match self {
            Listed::ForAll(all) => all,
            Listed::ByLanguage(by) => {
                by.iter().find(|(name, _)| name.0 == language).map_or(&[], |(_, list)| list.as_slice())
            }
        }
    }
}

/// As people write it: `python`, `C#`, `TypeScript`.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(try_from = "String")]
pub(super) struct LanguageName(pub(super) Language);

pub(super) const LANGUAGES: [Language; 15] = [
    Language::Rust,
    Language::Python,
    Language::JavaScript,
    Language::TypeScript,
    Language::Go,
    Language::Java,
    Language::Kotlin,
    Language::C,
    Language::Cpp,
    Language::CSharp,
    Language::Ruby,
    Language::Php,
    Language::Swift,
    Language::Scala,
    Language::Shell,
];

impl TryFrom<String> for LanguageName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let wanted = match name.to_ascii_lowercase().as_str() {
            "csharp" => "c#".to_owned(),
            "cpp" => "c++".to_owned(),
            "bash" => "shell".to_owned(),
            "tsx" => "typescript".to_owned(),
            other => other.to_owned(),
        };
        let found = LANGUAGES.into_iter().find(|language| language.as_str().to_ascii_lowercase() == wanted);
        found.map(LanguageName).ok_or_else(|| {
            let known: Vec<String> =
                LANGUAGES.iter().map(|language| language.as_str().to_ascii_lowercase()).collect();
            // As the YAML reader says it of other values: whoever shows its errors then names the nearest.
            format!("unknown variant `{name}`, expected one of {}", known.join(", "))
        })
    }
}
