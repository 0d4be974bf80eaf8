use std::fmt::Write;

use domain::work::{Coordination, Epic, ProhibitedChange};

/// What the tickets of an epic agreed on, a line each. It is data, for a fence.
pub(super) fn agreements(epic: &Epic) -> String {
    let mut text = match epic.title.trim() {
        "" => format!("{}\n", epic.id),
        _ => format!("{}: {}\n", epic.id, epic.title),
    };
    let Coordination {
        function_profiles,
        directory_structure,
        shared_interfaces,
        breaking_changes_prohibited,
        performance_contracts,
        security_constraints,
        architectural_decisions,
    } = &epic.coordination;
    for profile in function_profiles {
        let arguments = if profile.arity == 1 { "argument" } else { "arguments" };
        let _ = write!(text, "- `{}` takes {} {arguments}", profile.name, profile.arity);
        remark(&mut text, &profile.intent);
    }
    section(&mut text, "Directories", directory_structure, |text, directory| {
        let _ = write!(text, "`{}`", directory.path);
        remark(text, &directory.purpose);
    });
    section(&mut text, "Shared interfaces", shared_interfaces, |text, interface| {
        let _ = write!(text, "`{}`", interface.name);
        remark(text, &interface.description);
    });
    section(&mut text, "Must not be broken", breaking_changes_prohibited, prohibited);
    let sentence = |text: &mut String, said: &String| {
        let _ = writeln!(text, "{said}");
    };
    section(&mut text, "Performance contracts", performance_contracts, sentence);
    section(&mut text, "Security constraints", security_constraints, sentence);
    section(&mut text, "Architectural decisions", architectural_decisions, sentence);
    text
}

fn section<T>(text: &mut String, title: &str, items: &[T], line: impl Fn(&mut String, &T)) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(text, "{title}:");
    for item in items {
        text.push_str("- ");
        line(text, item);
    }
}

fn remark(text: &mut String, said: &str) {
    if !said.is_empty() {
        let _ = write!(text, ": {said}");
    }
    text.push('\n');
}

fn prohibited(text: &mut String, change: &ProhibitedChange) {
    text.push_str(&change.what);
    let quoted =
        |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let mut named = Vec::new();
    if !change.paths.is_empty() {
        named.push(format!("files {}", quoted(&change.paths)));
    }
    if !change.symbols.is_empty() {
        named.push(format!("names {}", quoted(&change.symbols)));
    }
    if !named.is_empty() {
        let _ = write!(text, " ({})", named.join("; "));
    }
    text.push('\n');
}
