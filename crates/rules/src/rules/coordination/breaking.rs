use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use domain::work::{Epic, ProhibitedChange};

use super::announced::Announced;
use super::api::{LANGUAGES, is_wanted, losses};
use super::callers::{Callers, Stale, Still};
use super::features;
use super::listed;
use super::lost::{Loss, Lost, Proof, Sort, Weight};
use super::moved;
use super::places::Places;
use super::reach::{Reach, Reaches};
use super::routes;
use super::shared::is_shared;
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("breaking-change"),
    title: text(
        "Something public that is removed, hidden or can no longer be used as before: HIGH where the epic prohibits it, a \
         caller is left behind, or a published library neither raises its version nor announces it, else MEDIUM or LOW",
    ),
    why: text("Whoever uses it will not build, or will fail when it runs"),
    fix: text("Keep what was public and deprecate it first, or update epic coordination requirements"),
    severity: Severity::Medium,
    category: Category::BestPractices,
    dimension: Dimension::COORDINATION_COMPLIANCE,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(LANGUAGES),
    examples: Cow::Borrowed(&[]),
};

/// What is lost, and how much it matters.
type Told<'l> = (&'l Lost<'l>, Weight);

/// Compares what the files of the change offered at the base with what they offer now.
pub(crate) struct BreakingChange;

/// More of one file are told in one sentence.
const MOST_PER_FILE: usize = 3;

/// The same for what should not pass.
const MOST_BREAKS_PER_FILE: usize = 40;

impl ChangeRule for BreakingChange {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn prepare(&self, file: &FileContext<'_>) {
        if is_wanted(file) {
            file.sides();
        }
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let epic = change.request.order.epic.as_ref();
        let prohibited: Vec<Prohibited<'_>> = epic.map(prohibitions).unwrap_or_default();
        let mut lost =
            losses(change, |item| prohibited.iter().any(|entry| entry.names(&item.name, &item.container)));
        lost.extend(features::losses(change));
        lost.extend(routes::losses(change));
        let reaches = Reaches::new(change);
        let callers = Callers::of(change, &lost);
        let announced = Announced::new(change);
        let (mut breaks, mut remarks): (Vec<Told<'_>>, Vec<Told<'_>>) = (Vec::new(), Vec::new());
        for one in lost.iter().filter(|one| !epic.is_some_and(|epic| is_shared(epic, one))) {
            match weigh(&reaches, &prohibited, (&callers, &announced), one) {
                Some(weight) if weight.severity >= Severity::High => breaks.push((one, weight)),
                Some(weight) => remarks.push((one, weight)),
                None => {}
            }
        }
        let abandoned = moved::left_behind(change);
        for one in &abandoned {
            // What was in the file has been told by its own name.
            if !breaks.iter().any(|(known, _)| std::ptr::eq(known.file, one.lost.file)) {
                breaks.push((&one.lost, one.weight()));
            }
        }
        for (all, most) in [(breaks, MOST_BREAKS_PER_FILE), (remarks, MOST_PER_FILE)] {
            for group in all.chunk_by(|(a, _), (b, _)| std::ptr::eq(a.file, b.file)) {
                tell(group, most, report);
            }
        }
    }
}

/// One by one, or in one sentence where a file lost many.
fn tell(group: &[Told<'_>], most: usize, report: &mut Reporter<'_>) {
    if let [(first, weight), .., _] = group
        && group.len() > most
    {
        let names: Vec<String> = group.iter().map(|(lost, _)| lost.path()).collect();
        let message = format!("{} public names were removed or changed: {}", group.len(), listed(&names));
        let severity = group.iter().map(|(_, weight)| weight.severity).max().unwrap_or(weight.severity);
        report
            .add_in(first.file.change, Draft::file(message).severity(severity).confidence(weight.confidence));
        return;
    }
    let mut told: Vec<&Told<'_>> = Vec::new();
    for one in group {
        if told.iter().any(|other| is_told_with(one, other)) {
            continue;
        }
        told.push(one);
        let (lost, weight) = one;
        let others = group.iter().filter(|other| is_told_with(other, one)).count() - 1;
        report.add_in(lost.file.change, lost.draft(weight, others));
    }
}

/// Whether both are members of one type, and matter as much.
fn is_told_with((one, weight): &Told<'_>, (other, known): &Told<'_>) -> bool {
    let same_type = !one.container.is_empty() && one.container == other.container;
    std::ptr::eq(*one, *other) || same_type && weight.severity == known.severity
}

impl moved::Abandoned<'_> {
    fn weight(&self) -> Weight {
        Weight {
            severity: self.stale.severity,
            confidence: self.stale.confidence,
            because: left_behind(&self.stale, &self.lost.loss),
            otherwise: OTHERWISE,
        }
    }
}

/// What the author may do besides keeping what was.
const OTHERWISE: &str = "update everything that uses it";

/// An entry of the epic, ready to be asked.
struct Prohibited<'e> {
    entry: &'e ProhibitedChange,
    places: Places,
}

fn prohibitions(epic: &Epic) -> Vec<Prohibited<'_>> {
    let entries = epic.coordination.breaking_changes_prohibited.iter();
    entries
        .map(|entry| Prohibited { entry, places: Places::of(entry.paths.iter().map(String::as_str)) })
        .collect()
}

impl Prohibited<'_> {
    /// A symbol stands for itself and, if it is a type, for what is in it.
    fn names(&self, name: &str, container: &str) -> bool {
        let owner = container.rsplit('.').next().unwrap_or_default();
        self.entry.symbols.iter().any(|symbol| {
            let symbol = symbol.trim_end_matches("()").replace("::", ".").replace('#', ".");
            symbol == name
                || symbol == owner
                || (!owner.is_empty() && symbol == format!("{owner}.{name}"))
                || (!container.is_empty() && symbol == format!("{container}.{name}"))
        })
    }

    fn covers(&self, lost: &Lost<'_>) -> bool {
        let everything = self.entry.paths.is_empty() && self.entry.symbols.is_empty();
        let old = lost.file.change.old.as_ref();
        (everything && !lost.enclosed)
            || self.names(&lost.name, &lost.container)
            || (!lost.enclosed && old.is_some_and(|side| self.places.hold(&side.path)))
    }
}

/// `None` for what nobody outside can miss, or was told to expect.
fn weigh(
    reaches: &Reaches<'_>,
    prohibited: &[Prohibited<'_>],
    (callers, announced): (&Callers<'_>, &Announced<'_>),
    lost: &Lost<'_>,
) -> Option<Weight> {
    if let Some(entry) = prohibited.iter().find(|entry| entry.covers(lost) && lost.proof > Proof::Slight) {
        return Some(Weight {
            severity: Severity::High,
            confidence: Confidence::High,
            because: format!(" but epic prohibits breaking changes: {}", entry.entry.what),
            otherwise: "update epic coordination requirements",
        });
    }
    if is_given_anew(lost) {
        return None;
    }
    let otherwise = OTHERWISE;
    let reach = reaches.of(lost);
    let judged = judged(reach, callers, lost);
    if let Some(stale) = callers.stale(lost) {
        let because = left_behind(&stale, &lost.loss);
        let severity = judged.map_or(stale.severity, |(severity, _)| severity.max(stale.severity));
        return Some(Weight { severity, confidence: stale.confidence, because, otherwise });
    }
    let (severity, confidence) = match judged? {
        (severity, confidence) if severity >= Severity::High && announced.covers(lost) => {
            (Severity::Medium, confidence)
        }
        judged => judged,
    };
    let because = match reach {
        Reach::Library if severity >= Severity::High => {
            " and neither the version nor the changelog tells".to_owned()
        }
        Reach::Library | Reach::Declared | Reach::Unpublished | Reach::Internal | Reach::Unknown => {
            String::new()
        }
    };
    Some(Weight { severity, confidence, because, otherwise })
}

/// Whether an object gets a method of this name when it is made: `self.name = self._other`.
fn is_given_anew(lost: &Lost<'_>) -> bool {
    let itself = match lost.file.language {
        Language::Python => "self",
        Language::JavaScript | Language::TypeScript => "this",
        _ => return false,
    };
    let given = format!("{itself}.{} = ", lost.name);
    let head = lost.file.head().filter(|_| lost.loss == Loss::Gone && !lost.container.is_empty());
    head.is_some_and(|head| memchr::memmem::find(head.code(), given.as_bytes()).is_some())
}

/// By who could use it, and how sure it is that they will notice.
fn judged(reach: Reach, callers: &Callers<'_>, lost: &Lost<'_>) -> Option<(Severity, Confidence)> {
    let advice = (Severity::Low, Confidence::Low);
    let stays = matches!(lost.loss, Loss::Unnamed { .. } | Loss::Altered { .. });
    match reach {
        _ if lost.deprecated || lost.own => None,
        _ if lost.sort == Sort::Route && lost.proof == Proof::Certain => {
            Some((Severity::Medium, Confidence::Medium))
        }
        _ if lost.sort == Sort::Route => Some(advice),
        Reach::Declared => Some((Severity::Suggestion, Confidence::Low)),
        Reach::Library => Some(match lost.proof {
            Proof::Certain if lost.file.language == Language::Rust || lost.sort == Sort::Feature => {
                (Severity::High, Confidence::High)
            }
            // Whether a module of other languages is meant for others, nothing says for sure.
            Proof::Certain | Proof::Likely => (Severity::Medium, Confidence::Medium),
            Proof::Slight => advice,
        }),
        Reach::Unpublished if callers.followed(lost) => None,
        Reach::Unpublished if stays || lost.proof < Proof::Certain => Some(advice),
        Reach::Unpublished => Some((Severity::Medium, Confidence::Medium)),
        Reach::Unknown if stays || lost.proof < Proof::Certain => Some(advice),
        Reach::Unknown => Some((Severity::Low, Confidence::Medium)),
        // Somebody may be let in by a module that no diff shows.
        Reach::Internal if lost.file.language != Language::Rust => None,
        Reach::Internal if lost.is_function() && !stays && !callers.followed(lost) => Some(advice),
        Reach::Internal => None,
    }
}

fn left_behind(stale: &Stale, loss: &Loss) -> String {
    let place = format!("{}:{}", stale.path, stale.line);
    match (loss, stale.how) {
        (_, Still::Imports) => format!(" but {place} still imports it"),
        (_, Still::Names) => format!(" but {place} still names it"),
        (Loss::Gone | Loss::Hidden | Loss::Altered { .. }, Still::Calls { .. }) => {
            format!(" but {place} still calls it")
        }
        (Loss::Unnamed { .. }, Still::Calls { .. }) => format!(" but {place} still gives it by name"),
        (Loss::Narrowed { .. }, Still::Calls { arguments: 1 }) => {
            format!(" but {place} still calls it with 1 argument")
        }
        (Loss::Narrowed { .. }, Still::Calls { arguments }) => {
            format!(" but {place} still calls it with {arguments} arguments")
        }
    }
}
