use std::borrow::Cow;

use bytes::Bytes;
use domain::change::RepoPath;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use domain::work::{FunctionProfile, WorkItem};
use rayon::prelude::*;

use super::gone::{Removed, removed};
use super::mentions;
use super::other::may_be_given_more;
use super::undefined::undefined;
use crate::context::{ChangeContext, FileContext};
use crate::language::{Language, is_test_path};
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};
use crate::source::Source;
use crate::syntax::{Arity, Function, Tree, functions, parse, table};

static INFO: RuleInfo = RuleInfo {
    id: text("function-profile"),
    title: text("A function that differs from what the epic agreed on"),
    why: text("Other tickets of the epic call it as agreed, and will not fit"),
    fix: text("Define the function with the agreed parameters or update epic coordination requirements"),
    severity: Severity::High,
    category: Category::BestPractices,
    dimension: Dimension::COORDINATION_COMPLIANCE,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[
        Language::Rust,
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Go,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::C,
        Language::Cpp,
        Language::Swift,
        Language::Scala,
        Language::Php,
        Language::Ruby,
    ]),
    examples: Cow::Borrowed(&[]),
};

/// Holds definitions that the change touched to the epic's profiles, by name and arity.
///
/// A file is content if any of its functions of that name takes the agreed number of arguments and no more: languages
/// overload. A profile that the change does not define is missed only if this ticket's own text names the function and
/// nobody around defines it: another ticket may. One that stood at the base and is gone is told, unless somebody around
/// still defines it.
pub(crate) struct FunctionProfiles;

impl ChangeRule for FunctionProfiles {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let Some(epic) = &change.request.order.epic else { return };
        let profiles: Vec<&FunctionProfile> =
            epic.coordination.function_profiles.iter().filter(|profile| !profile.name.is_empty()).collect();
        if profiles.is_empty() {
            return;
        }
        let found: Vec<(&FileContext<'_>, Vec<Wrong<'_>>)> = change
            .files
            .par_iter()
            .filter(|file| is_code(file))
            .map(|file| (file, wrong(file, &profiles)))
            .collect();
        for (file, wrongs) in found {
            let Some(head) = file.head() else { continue };
            for wrong in wrongs {
                let draft = Draft::lines(head, wrong.line, wrong.line, message(wrong.profile, wrong.arity));
                let meant = fits_in_another_language(change, file, wrong.profile);
                let confidence = if meant { Confidence::Low } else { wrong.confidence };
                let draft = draft.fix(action(wrong.profile, wrong.arity)).confidence(confidence);
                report.add_in(file.change, draft);
            }
        }
        let removed: Vec<Removed<'_, '_>> =
            profiles.iter().filter_map(|profile| removed(change, profile)).collect();
        for one in &removed {
            report.add_in(one.file.change, one.draft());
        }
        if let Some(ticket) = &change.request.order.ticket {
            let told =
                |profile: &FunctionProfile| removed.iter().any(|one| std::ptr::eq(one.profile, profile));
            for profile in profiles.iter().filter(|profile| !told(profile)) {
                let has =
                    |tree: &Tree| functions(tree).iter().any(|one| !one.is_test && fits_name(one, profile));
                if let Some(confidence) = undefined(change, ticket, name_of(profile), &has) {
                    report.add(missing(profile, ticket, confidence));
                }
            }
        }
    }
}

/// Whether the change has it as agreed in another language: what has its name here may be another one.
fn fits_in_another_language(
    change: &ChangeContext<'_>,
    file: &FileContext<'_>,
    profile: &FunctionProfile,
) -> bool {
    let others =
        change.files.iter().filter(|other| is_code(other) && !are_alike(other.language, file.language));
    let mut naming = others.filter(|other| {
        !other.is_test_file() && other.head().is_some_and(|head| mentions(head.code(), name_of(profile)))
    });
    naming.any(|other| {
        let fits = |one: &Function<'_>| {
            !one.is_test && fits_name(one, profile) && one.arity.is_exactly(profile.arity)
        };
        other.touched_tree().is_some_and(|tree| functions(tree).iter().any(fits))
    })
}

/// One of them may call the other.
fn are_alike(one: Language, other: Language) -> bool {
    const FAMILIES: [&[Language]; 3] = [
        &[Language::JavaScript, Language::TypeScript],
        &[Language::C, Language::Cpp],
        &[Language::Java, Language::Kotlin, Language::Scala],
    ];
    one == other || FAMILIES.iter().any(|family| family.contains(&one) && family.contains(&other))
}

/// Whether functions may be defined in such a file: in whatever is neither a test nor written for people or as settings.
pub fn may_define_functions(path: &RepoPath) -> bool {
    let is_data =
        matches!(Language::of(path), Language::Settings | Language::Json | Language::Prose | Language::Css);
    !is_data && !is_test_path(path)
}

/// Whether a file defines a function as agreed. In a language that is not understood it is enough that
/// its code names it.
pub fn defines(profile: &FunctionProfile, path: &RepoPath, text: &Bytes) -> bool {
    if !mentions(text, name_of(profile)) {
        return false;
    }
    let language = Language::of(path);
    let understood = INFO.languages.contains(&language);
    match table(language, path).filter(|_| understood).and_then(|table| parse(text, table)) {
        Some(tree) => functions(&tree).iter().any(|function| {
            !function.is_test && fits_name(function, profile) && function.arity.is_exactly(profile.arity)
        }),
        None => mentions(Source::new(text.clone(), language).code(), name_of(profile)),
    }
}

struct Wrong<'p> {
    profile: &'p FunctionProfile,
    arity: Arity,
    line: u32,
    /// Low where something around the function may give it arguments of its own.
    confidence: Confidence,
}

pub(super) fn is_code(file: &FileContext<'_>) -> bool {
    file.skipped.is_none()
        && !file.is_test_file()
        && INFO.languages.contains(&file.language)
        && !file.change.hunks().is_empty()
}

fn wrong<'p>(file: &FileContext<'_>, profiles: &[&'p FunctionProfile]) -> Vec<Wrong<'p>> {
    let Some(head) = file.head() else { return Vec::new() };
    let named: Vec<_> = profiles.iter().filter(|profile| mentions(head.text(), name_of(profile))).collect();
    let Some(tree) = (!named.is_empty()).then(|| file.touched_tree()).flatten() else { return Vec::new() };
    let functions = functions(tree);
    named
        .into_iter()
        .flat_map(|profile| {
            let of_name: Vec<&Function<'_>> = functions
                .iter()
                .filter(|function| !function.is_test && fits_name(function, profile))
                .collect();
            let fits = of_name.iter().any(|function| function.arity.is_exactly(profile.arity));
            let touched = of_name.into_iter().find(|function| !fits && file.touched(function.node));
            touched.map(|function| Wrong {
                profile,
                arity: function.arity,
                line: line_of(file, function),
                confidence: if may_be_given_more(function.node) { Confidence::Low } else { INFO.confidence },
            })
        })
        .collect()
}

/// A profile may say `Type.name` or `Type::name`.
pub(super) fn name_of(profile: &FunctionProfile) -> &str {
    profile.name.rsplit(['.', ':', '#']).next().unwrap_or(&profile.name)
}

pub(super) fn fits_name(function: &Function<'_>, profile: &FunctionProfile) -> bool {
    let owner =
        profile.name.strip_suffix(name_of(profile)).unwrap_or_default().trim_end_matches(['.', ':', '#']);
    let innermost = function.container.rsplit('.').next().unwrap_or_default();
    let of_type = owner.is_empty() || owner.rsplit(['.', ':']).next() == Some(innermost);
    function.name == name_of(profile) && of_type
}

/// The first line of its head that the change added, or else that of its name.
fn line_of(file: &FileContext<'_>, function: &Function<'_>) -> u32 {
    let touched = file.touched_lines();
    let last = function.body.map_or(function.node.end_line(), |body| body.line());
    let name = function.name_line();
    if touched.is_added(name) {
        return name;
    }
    (function.node.line()..=last).find(|line| touched.is_added(*line)).unwrap_or(name)
}

fn message(profile: &FunctionProfile, found: Arity) -> String {
    format!(
        "{} function has arity {} but epic specifies arity {}",
        profile.name,
        found.shown(),
        profile.arity
    )
}

fn action(profile: &FunctionProfile, found: Arity) -> String {
    const ORDINALS: [&str; 8] = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];
    let agreed = profile.arity;
    let what = if found.least > agreed {
        match (found.least - agreed, usize::try_from(agreed).ok().and_then(|at| ORDINALS.get(at))) {
            (1, Some(ordinal)) => format!("Remove {ordinal} parameter"),
            (more, _) => format!("Remove {}", counted(more)),
        }
    } else {
        match found.most {
            None => format!("Take {} instead of any number", counted(agreed)),
            Some(most) if most > agreed => match most - agreed {
                1 => "Remove the optional parameter".to_owned(),
                more => format!("Remove {more} optional parameters"),
            },
            Some(most) => format!("Add {}", counted(agreed - most)),
        }
    };
    format!("{what} or update epic coordination requirements")
}

pub(super) fn counted(parameters: u32) -> String {
    if parameters == 1 { "one parameter".to_owned() } else { format!("{parameters} parameters") }
}

fn missing(profile: &FunctionProfile, ticket: &WorkItem, confidence: Confidence) -> Draft {
    let draft = Draft::summary(format!(
        "{} function is not defined by the change, but {} names it and epic specifies arity {}",
        profile.name, ticket.path, profile.arity
    ));
    let draft = draft.fix(format!(
        "Define {} with {} or say in the ticket which ticket does",
        profile.name,
        counted(profile.arity)
    ));
    draft.confidence(confidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> bool {
        let (path, agreed) = (RepoPath::from(path), "log_in".to_owned());
        let profile = FunctionProfile { name: agreed, arity: 2, intent: String::new() };
        may_define_functions(&path) && defines(&profile, &path, &Bytes::from(text.to_owned()))
    }

    #[test]
    fn a_function_is_defined_where_it_can_be_called_as_agreed() {
        assert!(found("auth.py", "def log_in(name, password):\n    pass\n"));
        assert!(found("src/auth.rs", "impl Auth { pub fn log_in(&self, a: u8, b: u8) {} }\n"));
        assert!(found("auth.go", "package a\nfunc log_in(a, b int) {}\n"));
        assert!(!found("auth.py", "def log_in(name):\n    pass\n"));
        assert!(!found("auth.py", "from x import log_in\n\nlog_in(1, 2)\n"), "only called");
    }

    #[test]
    fn what_is_not_understood_is_believed_and_what_is_no_program_is_not() {
        assert!(found("auth.zig", "pub fn log_in(a: u8, b: u8) void {}\n"));
        assert!(found("bin/auth", "log_in() { :; }\n"));
        for path in ["epic.yaml", "tickets/a.md", "README", "settings.json", "tests/test_auth.py"] {
            assert!(!found(path, "def log_in(a, b): pass\n"), "{path}");
        }
    }
}
