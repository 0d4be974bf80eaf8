use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use domain::work::{Epic, WorkItem};

use super::api::{LANGUAGES, losses};
use super::lost::{Lost, Sort, Weight};
use super::undefined::{Naming, naming, undefined};
use crate::context::ChangeContext;
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};
use crate::syntax::{ItemKind, Tree, items};

static INFO: RuleInfo = RuleInfo {
    id: text("shared-interface"),
    title: text("A type that several tickets build on, and that is gone, lost a member or was never made"),
    why: text("Other tickets of the epic are written against it, and will not fit"),
    fix: text("Restore what was there or update epic coordination requirements"),
    severity: Severity::High,
    category: Category::BestPractices,
    dimension: Dimension::COORDINATION_COMPLIANCE,
    confidence: Confidence::High,
    languages: Cow::Borrowed(LANGUAGES),
    examples: Cow::Borrowed(&[]),
};

/// Holds the change to the types that the epic calls shared: none may vanish, nor lose a member it had at the base,
/// everything that can see it, and the ticket that orders one has to define it. What a ticket adds to them is its own business.
pub(crate) struct SharedInterfaces;

impl ChangeRule for SharedInterfaces {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let Some(epic) = &change.request.order.epic else { return };
        if epic.coordination.shared_interfaces.is_empty() {
            return;
        }
        if let Some(ticket) = &change.request.order.ticket {
            tell_missing(change, epic, ticket, report);
        }
        let weight = Weight {
            severity: Severity::High,
            confidence: Confidence::High,
            because: " but the epic shares it between tickets".to_owned(),
            otherwise: "update epic coordination requirements",
        };
        let named = |name: &str, container: &str, kind| belongs(epic, name, container, kind);
        let lost = losses(change, |item| named(&item.name, &item.container, item.kind));
        for one in lost.iter().filter(|one| is_shared(epic, one)) {
            let severity = if is_kept_to_itself(one) { Severity::Medium } else { weight.severity };
            report.add_in(one.file.change, one.draft(&Weight { severity, ..weight.clone() }, 0));
        }
    }
}

/// A shared type that this ticket orders and no code defines. Names in other forms may be anything: a queue, a page.
fn tell_missing(change: &ChangeContext<'_>, epic: &Epic, ticket: &WorkItem, report: &mut Reporter<'_>) {
    for shared in &epic.coordination.shared_interfaces {
        let name = last_part(&shared.name);
        if !TYPE.regex().is_match(name.as_bytes()) || naming(ticket, name) != Some(Naming::Ordered) {
            continue;
        }
        let has =
            |tree: &Tree| items(tree).iter().any(|item| item.kind == ItemKind::Type && item.name == name);
        if let Some(confidence) = undefined(change, ticket, name, &has) {
            let message = format!(
                "{name} is shared between tickets of the epic, {} asks for it, and no code defines it",
                ticket.path
            );
            let fix = format!("Define {name}, or say in the ticket which ticket does");
            report.add(Draft::summary(message).fix(fix).confidence(confidence));
        }
    }
}

static TYPE: Pattern = Pattern::new(r"^[A-Z]\w*[a-z]\w*$");

fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or_default()
}

pub(super) fn is_shared(epic: &Epic, lost: &Lost<'_>) -> bool {
    match lost.sort {
        Sort::Item(kind) => belongs(epic, &lost.name, &lost.container, kind),
        Sort::Symbol
        | Sort::Module
        | Sort::Macro
        | Sort::Export
        | Sort::Implementation
        | Sort::Feature
        | Sort::Package
        | Sort::Route => false,
    }
}

/// By its name nobody outside the package, or the type, is meant to use it.
fn is_kept_to_itself(lost: &Lost<'_>) -> bool {
    let first = lost.name.chars().next();
    match lost.file.language {
        Language::Go => first.is_some_and(char::is_lowercase),
        Language::Python => lost.name.starts_with('_') && !lost.name.starts_with("__init__"),
        Language::JavaScript | Language::TypeScript => first == Some('#'),
        _ => false,
    }
}

/// The type itself, or something in it.
fn belongs(epic: &Epic, name: &str, container: &str, kind: ItemKind) -> bool {
    let owner = container.rsplit('.').next().unwrap_or_default();
    epic.coordination.shared_interfaces.iter().any(|shared| {
        let shared = last_part(&shared.name);
        !shared.is_empty() && (owner == shared || (kind == ItemKind::Type && name == shared))
    })
}
