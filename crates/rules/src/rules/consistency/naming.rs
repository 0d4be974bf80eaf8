use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use rayon::prelude::*;

use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::neighbours::{Sample, SampleReach, neighbours};
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};
use crate::syntax::{Function, functions};

static INFO: RuleInfo = RuleInfo {
    id: text("naming-habit"),
    title: text("A new function that is named otherwise than nearly all functions of the files around it"),
    why: text("Names that follow no habit are hard to guess and hard to find"),
    fix: text("Name it as the others are named"),
    severity: Severity::Low,
    category: Category::BestPractices,
    dimension: Dimension::PATTERN_CONSISTENCY,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(LANGUAGES),
    examples: Cow::Borrowed(&[]),
};

const LANGUAGES: &[Language] = &[
    Language::Python,
    Language::JavaScript,
    Language::TypeScript,
    Language::Java,
    Language::Kotlin,
    Language::C,
    Language::Cpp,
    Language::Php,
    Language::Ruby,
    Language::Go,
    Language::Swift,
    Language::Scala,
];

/// So many names have to tell, and so many of a hundred have to agree. Fewer tell enough where all agree.
const FEWEST_NAMES: usize = 10;
const FEWEST_PERCENT: usize = 95;
const FEWEST_UNANIMOUS: usize = 6;

/// How the words of a name are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Style {
    Snake,
    Camel,
}

impl Style {
    /// `None` for a name that fits either, or neither.
    fn of(name: &str) -> Option<Style> {
        let name = name.trim_matches(['_', '$', '#', '?', '!', '=']);
        let has = |test: fn(char) -> bool| name.chars().any(test);
        // An operator's name is not chosen, as in Scala's `unary_-`.
        if has(|c| !c.is_alphanumeric() && !matches!(c, '_' | '$')) {
            return None;
        }
        match (name.contains('_'), has(char::is_uppercase), has(char::is_lowercase)) {
            (true, false, true) => Some(Style::Snake),
            (false, true, true) if name.starts_with(char::is_lowercase) => Some(Style::Camel),
            _ => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Style::Snake => "snake_case",
            Style::Camel => "camelCase",
        }
    }
}

/// The names that a language had before the change.
struct Habit {
    snake: usize,
    camel: usize,
}

impl Habit {
    fn of(names: &[String]) -> Self {
        let count = |style: Style| names.iter().filter(|name| Style::of(name) == Some(style)).count();
        Habit { snake: count(Style::Snake), camel: count(Style::Camel) }
    }

    fn all(&self) -> usize {
        self.snake + self.camel
    }

    fn style(&self) -> Option<(Style, usize, usize)> {
        let all = self.all();
        let (style, most) =
            if self.snake >= self.camel { (Style::Snake, self.snake) } else { (Style::Camel, self.camel) };
        let agree = all >= FEWEST_NAMES && most * 100 >= all * FEWEST_PERCENT;
        (agree || (all >= FEWEST_UNANIMOUS && most == all)).then_some((style, most, all))
    }
}

pub(crate) struct NamingHabit;

impl ChangeRule for NamingHabit {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let files: Vec<&FileContext<'_>> = change
            .files
            .iter()
            .filter(|file| {
                LANGUAGES.contains(&file.language) && file.skipped.is_none() && !file.is_test_file()
            })
            .collect();
        let own: Vec<Vec<String>> = files.par_iter().map(|file| names_before(file)).collect();
        let mut known: HashMap<Language, Vec<String>> = HashMap::new();
        for (file, names) in files.iter().zip(own) {
            known.entry(file.language).or_default().extend(names);
        }
        for (language, names) in &mut known {
            if Habit::of(names).all() < FEWEST_NAMES {
                let near: Vec<&FileContext<'_>> =
                    files.iter().filter(|file| file.language == *language).copied().collect();
                names.extend(names_around(change, &near, *language));
            }
        }
        let habits: HashMap<Language, Habit> =
            known.iter().map(|(language, names)| (*language, Habit::of(names))).collect();
        let all: HashSet<&[u8]> = known.values().flatten().map(String::as_bytes).collect();
        let found: Vec<_> = files
            .into_par_iter()
            .filter_map(|file| {
                let habit = habits.get(&file.language).and_then(Habit::style)?;
                let new = strangers(file, habit.0, &all);
                (!new.is_empty()).then_some((file, habit, new))
            })
            .collect();
        if found.is_empty() {
            return;
        }
        let before = words_before(change);
        for (file, (style, most, of), new) in found {
            let Some(head) = file.head() else { continue };
            for (name, other, line) in new.into_iter().filter(|(name, ..)| !before.contains(name.as_bytes()))
            {
                let message = format!(
                    "`{name}` is {}, but {most} of {of} functions in these files and around them are {}",
                    other.as_str(),
                    style.as_str()
                );
                report.add_in(file.change, Draft::lines(head, line, line, message));
            }
        }
    }
}

/// Those whose line the change did not add.
fn names_before(file: &FileContext<'_>) -> Vec<String> {
    let functions = file.touched_tree().map(functions).unwrap_or_default();
    let touched = file.touched_lines();
    let old = functions.into_iter().filter(|one| !one.is_test && !touched.is_added(one.name_line()));
    old.map(|one| one.name).collect()
}

/// Where the files of the change are too young to have a habit, those around them may.
const AROUND: Sample = Sample { files: 12, bytes: 256 * 1024, reach: SampleReach::Repository };

fn names_around(change: &ChangeContext<'_>, near: &[&FileContext<'_>], language: Language) -> Vec<String> {
    let adds = |file: &&&FileContext<'_>| {
        let functions = file.touched_tree().map(functions).unwrap_or_default();
        let styled = |one: &Function<'_>| Style::of(&one.name).is_some() && !is_given(one);
        functions.iter().any(|one| file.touched_lines().is_added(one.name_line()) && styled(one))
    };
    let near: Vec<&FileContext<'_>> = near.iter().filter(adds).copied().collect();
    if near.is_empty() {
        return Vec::new();
    }
    let around = neighbours(change, &near, language, AROUND);
    around
        .par_iter()
        .flat_map_iter(|one| {
            let functions = one.tree().map(functions).unwrap_or_default();
            functions.into_iter().filter(|one| !one.is_test).map(|one| one.name).collect::<Vec<_>>()
        })
        .collect()
}

/// Every word of a line that is gone: what stands there has moved, and is not new.
fn words_before<'c>(change: &ChangeContext<'c>) -> HashSet<&'c [u8]> {
    let lines = change.files.iter().flat_map(|file| file.change.removed()).map(|(_, line)| line);
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    lines.flat_map(|line| line.split(move |byte| !is_word(byte))).filter(|word| !word.is_empty()).collect()
}

/// New functions whose name is of another style, with their lines.
fn strangers(file: &FileContext<'_>, style: Style, known: &HashSet<&[u8]>) -> Vec<(String, Style, u32)> {
    let functions = file.touched_tree().map(functions).unwrap_or_default();
    let new = functions.into_iter().filter(|one| {
        let added = file.touched_lines().is_added(one.name_line());
        added && !one.is_test && !known.contains(one.name.as_bytes())
    });
    new.filter_map(|one| {
        let other = Style::of(&one.name).filter(|other| *other != style && !is_given(&one))?;
        let line = one.name_line();
        Some((one.name, other, line))
    })
    .collect()
}

/// Whether the name may be somebody else's: of a class above, an interface, a framework.
fn is_given(function: &Function<'_>) -> bool {
    let before_name = &function.node.bytes()[..function
        .name_node
        .range()
        .start
        .saturating_sub(function.node.range().start)
        .min(function.node.bytes().len())];
    let says = |word: &[u8]| memchr::memmem::find(before_name, word).is_some();
    let class = function.node.ancestors().find(|around| {
        around.is_kind(&["class_definition", "class_declaration", "class", "class_specifier"])
    });
    let extends = class.is_some_and(|class| {
        class.children().any(|part| {
            part.is_kind(&[
                "class_heritage",
                "superclass",
                "super_interfaces",
                "delegation_specifiers",
                "base_clause",
                "base_class_clause",
                "inheritance_specifier",
                "extends_clause",
            ]) || part.kind() == "class_interface_clause"
                || (part.kind() == "argument_list" && part.named_children().next().is_some())
        })
    });
    says(b"override") || says(b"Override") || says(b"extern") || extends
}
