//! What stands where it stood and has lost what kept it harmless: a check, an escape, a time limit, a constant.

use std::collections::BTreeSet;

use ast_grep_core::AstGrep;
use domain::change::{Hunk, Span};
use domain::config::RulesPolicy;
use domain::review::Finding;
use domain::words::{Dimension, Severity};

use super::bank::Bank;
use super::grammar::{Grammar, Parsed};
use super::scan::{Hit, enough, finding, hits, wanted};
use super::subject::{Subject, Touched, lines_of};
use crate::context::FileContext;
use crate::flow::{Invocation, Step, walk};
use crate::syntax::{Tree, functions};

/// Finds lines that the change did not touch, and that a rule about dangers speaks of after it only.
pub(super) fn exposed(
    file: &FileContext<'_>,
    grammar: Grammar,
    banks: &[&Bank],
    policy: &RulesPolicy,
) -> Vec<Finding> {
    let reach = if file.is_test_file() { None } else { Reach::of(file) };
    let (Some(reach), Some(head)) = (reach, file.head()) else { return Vec::new() };
    let text: Vec<u8> = reach.lines().flat_map(|line| head.line(line)).copied().collect();
    let chosen = banks.iter().map(|bank| (bank, dangers(bank, wanted(bank, file, &text, policy), grammar)));
    let chosen: Vec<(&&Bank, Vec<usize>)> = chosen.filter(|(_, dangers)| !dangers.is_empty()).collect();
    if chosen.is_empty() {
        return Vec::new();
    }
    let tree = if reach.is_whole { file.tree() } else { enough(file) };
    let Some(raw) = tree.and_then(Tree::raw) else { return Vec::new() };
    let code = AstGrep::doc(Parsed::new(grammar, head.text(), raw.clone()));
    let subject = Subject::new(grammar, &code, Touched::Spans(reach.spans.clone()));
    let mut findings = Vec::new();
    for (bank, dangers) in chosen {
        let mut here = hits(bank, &dangers, &subject);
        here.retain(|hit| !file.touched_lines().adds(hit.first, hit.last) && !head.in_test(hit.first));
        if here.is_empty() {
            continue;
        }
        let Some(old) = old_sins(file, grammar, bank, &dangers) else { continue };
        let runs: Vec<(Span, Span)> = file.change.hunks().iter().flat_map(Hunk::replaced).collect();
        let calls = Touched::Lines(calls_anew(file, &subject));
        for mut hit in here {
            let (first, last) = reach.around(&hit);
            let before = (hit.rule, line_before(&runs, first))..=(hit.rule, line_before(&runs, last));
            if old.range(before).next().is_some() {
                continue;
            }
            hit.message.push_str(": what stood against that before is gone");
            // What is called now in its place may do the same.
            if calls.meets(first, last) {
                hit.severity = hit.severity_in(bank).map(|severity| severity.min(Severity::Medium));
            }
            findings.extend(finding(file, bank, hit, policy));
        }
    }
    findings
}

/// The part of a file in which something may have lost its protection.
struct Reach {
    /// Whether that is all of it.
    is_whole: bool,
    /// Apart from each other, in order.
    spans: Vec<(u32, u32)>,
    /// Of all functions that are in no other, in order.
    functions: Vec<(u32, u32)>,
}

impl Reach {
    /// The functions that the change touched. All of the file, where something outside of them is gone: an import, a
    /// constant or a setting may matter anywhere.
    fn of(file: &FileContext<'_>) -> Option<Self> {
        file.change.old.as_ref()?;
        let touched = file.touched_lines();
        let tree = file.touched_tree()?;
        let functions = outermost(tree);
        if touched.cuts().any(|line| around(&functions, line).is_none()) {
            let spans = vec![(1, tree.root().end_line())];
            return Some(Reach { is_whole: true, spans, functions });
        }
        let is_changed = |&&(first, last): &&(u32, u32)| {
            touched.head_lines(first, last) && !touched.has_added_all(first, last)
        };
        let spans: Vec<(u32, u32)> = functions.iter().filter(is_changed).copied().collect();
        (!spans.is_empty()).then_some(Reach { is_whole: false, spans, functions })
    }

    fn lines(&self) -> impl Iterator<Item = u32> {
        self.spans.iter().flat_map(|(first, last)| *first..=*last)
    }

    /// The function around what was found, or no more than that.
    fn around(&self, hit: &Hit) -> (u32, u32) {
        around(&self.functions, hit.first).unwrap_or((hit.first, hit.last))
    }
}

fn outermost(tree: &Tree) -> Vec<(u32, u32)> {
    let mut outermost: Vec<(u32, u32)> = Vec::new();
    for function in functions(tree) {
        let (first, last) = (function.node.line(), function.node.end_line());
        if outermost.last().is_none_or(|(_, end)| *end < first) {
            outermost.push((first, last));
        }
    }
    outermost
}

/// Which of some spans, apart from each other and in order, holds a line.
fn around(spans: &[(u32, u32)], line: u32) -> Option<(u32, u32)> {
    let at = spans.partition_point(|(_, last)| *last < line);
    spans.get(at).filter(|(first, _)| *first <= line).copied()
}

/// Those of the entries that are about security or speed.
fn dangers(bank: &Bank, mut wanted: Vec<usize>, grammar: Grammar) -> Vec<usize> {
    let Some(loaded) = bank.loaded(grammar.language) else { return Vec::new() };
    wanted.retain(|index| {
        let info = bank.heads().get(loaded.entries[*index].rule);
        info.is_some_and(|info| info.dimension == Dimension::SECURITY_PERFORMANCE)
    });
    wanted
}

/// Which rules spoke before the change, and of which lines. `None` where that cannot be said for sure.
fn old_sins(
    file: &FileContext<'_>,
    grammar: Grammar,
    bank: &Bank,
    wanted: &[usize],
) -> Option<BTreeSet<(usize, u32)>> {
    let path = &file.change.old.as_ref()?.path;
    Grammar::of(file.language, &path.extension()).filter(|before| before.form() == grammar.form())?;
    let raw = file.base_tree()?.raw().filter(|raw| !raw.root_node().has_error())?;
    let code = AstGrep::doc(Parsed::new(grammar, file.base()?.text(), raw.clone()));
    let subject = Subject::new(grammar, &code, Touched::All);
    Some(hits(bank, wanted, &subject).into_iter().map(|hit| (hit.rule, hit.first)).collect())
}

/// The added lines that call something, in order.
fn calls_anew(file: &FileContext<'_>, subject: &Subject<'_>) -> Vec<u32> {
    let touched = file.touched_lines();
    let mut lines = Vec::new();
    walk(subject.root(), |node| {
        let (first, last) = lines_of(node);
        if !touched.adds(first, last) {
            return Step::Over;
        }
        if touched.is_added(first) && Invocation::of(node).is_some() {
            lines.push(first);
        }
        Step::Into
    });
    lines.sort_unstable();
    lines
}

/// The line of the old file where one of the new stood; for an added line, where it was put.
fn line_before(runs: &[(Span, Span)], line: u32) -> u32 {
    let behind = |span: &Span| span.start.saturating_add(span.len);
    let done = runs.partition_point(|(_, new)| behind(new) <= line);
    match (runs.get(done), done.checked_sub(1).and_then(|last| runs.get(last))) {
        (Some((old, new)), _) if new.start <= line => old.start,
        (_, Some((old, new))) => line.saturating_sub(behind(new)).saturating_add(behind(old)),
        (_, None) => line,
    }
}

#[cfg(test)]
mod tests {
    use domain::change::Span;

    use super::line_before;

    #[test]
    fn lines_are_found_where_they_stood() {
        // Two lines for line 3, and line 7 gone.
        let runs = [
            (Span { start: 3, len: 1 }, Span { start: 3, len: 2 }),
            (Span { start: 7, len: 1 }, Span { start: 8, len: 0 }),
        ];
        let before: Vec<u32> = (1..=9).map(|line| line_before(&runs, line)).collect();
        assert_eq!(before, [1, 2, 3, 3, 4, 5, 6, 8, 9]);
    }
}
