//! Changes that take nothing away from what a file offers, which is most of them: its base need not be parsed.
//!
//! They stay inside of functions, bring whole ones, or give other names to parameters that callers never name.

use std::collections::HashMap;

use domain::change::{Hunk, LineKind};

use super::renamed::is_renamed;
use crate::context::FileContext;
use crate::language::Language;
use crate::syntax::{Function, Node, Notion, Touched, Tree, functions, items};

/// Whether every line that went was inside the body of a function that is still there, and every line that came is inside
/// one or part of a function that is new as a whole, except for those that only rename parameters.
pub(super) fn takes_nothing_away(file: &FileContext<'_>) -> bool {
    let Some(words) = defining(file.language) else { return false };
    let Some(tree) = file.touched_tree().filter(|tree| !tree.root().has_error()) else { return false };
    let ground = Ground::of(file, tree, words);
    file.change.hunks().iter().flat_map(edits).all(|edit| !edit.may_hide() && ground.allows(&edit))
}

/// Whether a line may take away what stands below it without touching it: it opens or closes a comment, a string or
/// a region, or says who may use what follows.
pub(crate) fn may_hide(line: &[u8]) -> bool {
    const SIGNS: [(u8, &[u8]); 4] = [(b'*', b"/*"), (b'*', b"*/"), (b'"', b"\"\"\""), (b'\'', b"'''")];
    const LINES: [&[u8]; 8] =
        [b"=begin", b"=end", b"private", b"protected", b"#if", b"#else", b"#elif", b"#endif"];
    let code = line.trim_ascii();
    let is_odd = |quote: u8| memchr::memchr_iter(quote, code).count() % 2 == 1;
    let has = |(byte, sign): &(u8, &[u8])| {
        memchr::memchr(*byte, code).is_some() && memchr::memmem::find(code, sign).is_some()
    };
    SIGNS.iter().any(has) || LINES.iter().any(|word| code.starts_with(word)) || is_odd(b'"') || is_odd(b'`')
}

/// Lines that went, each with the line of the new file that it stood before, and lines that came in their place.
#[derive(Default)]
struct Edit<'h> {
    gone: Vec<(u32, &'h [u8])>,
    come: Vec<(u32, &'h [u8])>,
}

impl Edit<'_> {
    fn may_hide(&self) -> bool {
        self.gone.iter().chain(&self.come).any(|(_, line)| may_hide(line))
    }

    /// By braces alone, wherever they stand. Else two functions may have become one, of which only one has a name now.
    fn ends_nothing_elsewhere(&self) -> bool {
        let depth = depth_behind(&self.gone);
        depth.is_some() && depth == depth_behind(&self.come)
    }
}

/// How much deeper the text is nested behind the lines. `None` where something new begins behind the end of what
/// began before them.
fn depth_behind(lines: &[(u32, &[u8])]) -> Option<i64> {
    lines.iter().try_fold(0, |depth: i64, (_, line)| {
        let count = |brace: u8| i64::try_from(memchr::memchr_iter(brace, line).count()).unwrap_or(i64::MAX);
        let opened = count(b'{');
        (depth >= 0 || opened == 0).then(|| depth.saturating_add(opened).saturating_sub(count(b'}')))
    })
}

fn edits(hunk: &Hunk) -> Vec<Edit<'_>> {
    let mut edits = vec![Edit::default()];
    // A hunk that only removes is headed by the line before.
    let mut next = hunk.new.start.saturating_add(u32::from(hunk.new.len == 0));
    for line in hunk.lines() {
        match (line.kind, edits.last_mut()) {
            (LineKind::Removed, Some(edit)) => edit.gone.push((next, line.text)),
            (LineKind::Added, Some(edit)) => edit.come.push((next, line.text)),
            (LineKind::Context, _) => edits.push(Edit::default()),
            (LineKind::Removed | LineKind::Added, None) => {}
        }
        next = next.saturating_add(u32::from(line.new.is_some()));
    }
    edits
}

/// Where lines may come and go.
struct Ground<'f> {
    file: &'f FileContext<'f>,
    tree: &'f Tree,
    words: &'static [&'static [u8]],
    /// The lines in the bodies of functions that were there before, without the first, where something else may end.
    bodies: Vec<(u32, u32)>,
    /// The lines of functions that are new, with what is new and says nothing around them.
    new: Vec<(u32, u32)>,
}

impl<'f> Ground<'f> {
    fn of(file: &'f FileContext<'f>, tree: &'f Tree, words: &'static [&'static [u8]]) -> Self {
        let items = items(tree);
        let mut paths: HashMap<(&str, &str), u32> = HashMap::new();
        for item in &items {
            *paths.entry((&item.container, &item.name)).or_default() += 1;
        }
        // Of several by one name, one may be what another was.
        let is_only = |one: &Function<'_>| paths.get(&(one.container, one.name.as_str())) == Some(&1);
        let (mut bodies, mut new) = (Vec::new(), Vec::new());
        for function in functions(tree).iter().filter(|function| !function.local) {
            let Some(body) = function.body else { continue };
            match extent(function.node, file.touched_lines()).filter(|_| is_only(function)) {
                Some(extent) => new.push(extent),
                None => bodies.push((body.line().saturating_add(1), body.end_line())),
            }
        }
        Ground { file, tree, words, bodies, new }
    }

    fn allows(&self, edit: &Edit<'_>) -> bool {
        let is_inside = |number: u32, line: &[u8]| holds(&self.bodies, number) && !self.defines(line);
        let in_pairs = edit.gone.len() == edit.come.len();
        let is_renamed = |at: usize| {
            let pair = edit.gone.get(at).zip(edit.come.get(at)).filter(|_| in_pairs);
            pair.is_some_and(|((_, was), (number, is))| is_renamed(self.file, self.tree, was, *number, is))
        };
        let may_go = |(at, (place, line)): (usize, &(u32, &[u8]))| {
            let instead = edit.come.get(at).filter(|_| in_pairs).map(|(number, _)| *number);
            is_inside(instead.unwrap_or(*place), line) || is_renamed(at)
        };
        let may_come = |(at, (number, line)): (usize, &(u32, &[u8]))| {
            is_inside(*number, line) || holds(&self.new, *number) || is_renamed(at)
        };
        edit.gone.iter().enumerate().all(may_go)
            && edit.come.iter().enumerate().all(may_come)
            && (self.file.language == Language::Python || edit.ends_nothing_elsewhere())
    }

    fn defines(&self, line: &[u8]) -> bool {
        self.words.iter().any(|word| memchr::memmem::find(line, word).is_some())
    }
}

/// Whether one of the ranges, which are in order, holds the line.
fn holds(ranges: &[(u32, u32)], line: u32) -> bool {
    let begun = ranges.partition_point(|(first, _)| *first <= line);
    ranges[..begun].last().is_some_and(|(_, last)| line <= *last)
}

/// The lines that came with a function, if all of it is new and nothing that was there before is part of it now.
fn extent(function: Node<'_>, touched: &Touched) -> Option<(u32, u32)> {
    let wraps = |around: &Node<'_>| around.is_kind(&["export_statement", "decorated_definition"]);
    let whole = std::iter::successors(Some(function), |node| node.parent().filter(wraps)).last()?;
    let is_new = |node: &Node<'_>| touched.has_added_all(node.line(), node.end_line());
    if !is_new(&whole) || !is_home(whole.parent()?, function) {
        return None;
    }
    let tells = |node: &Node<'_>| !node.bytes().trim_ascii().is_empty();
    let says_nothing = |node: &Node<'_>| (node.is(Notion::Comment) || is_attribute(node)) && is_new(node);
    let mut first = whole;
    let mut before = std::iter::successors(whole.previous_sibling(), Node::previous_sibling).filter(tells);
    let other = before.find(|node| {
        let belongs = says_nothing(node);
        first = if belongs { *node } else { first };
        !belongs
    });
    let after = std::iter::successors(whole.next_sibling(), Node::next_sibling).find(tells);
    let alone = other.is_none_or(|other| other.end_line() < first.line() && !is_attribute(&other))
        && after.is_none_or(|after| after.line() > whole.end_line());
    let from = other.map_or(1, |other| other.end_line().saturating_add(1));
    alone.then(|| (from, after.map_or(u32::MAX, |after| after.line() - 1)))
}

/// It is about what stands behind it.
fn is_attribute(node: &Node<'_>) -> bool {
    node.kind() == "attribute_item"
}

/// Whether one function more in there changes nothing for anybody: nobody has to implement it.
fn is_home(around: Node<'_>, function: Node<'_>) -> bool {
    match (around.kind(), around.parent()) {
        (_, None) => true,
        ("declaration_list", Some(block)) => block.kind() == "impl_item" && block.child("trait").is_none(),
        ("class_body", Some(class)) => {
            class.kind() == "class_declaration" && function.kind() == "method_declaration"
        }
        _ => false,
    }
}

/// Words of which one stands in every definition that others may use. `None` where that cannot be said.
fn defining(language: Language) -> Option<&'static [&'static [u8]]> {
    match language {
        Language::Rust => Some(&[
            b"fn ", b"pub", b"impl", b"struct ", b"enum ", b"union ", b"trait ", b"mod ", b"macro",
            b"extern", b"#[",
        ]),
        Language::Python => Some(&[b"def ", b"class ", b"global ", b"__all__", b"import "]),
        Language::JavaScript | Language::TypeScript => {
            Some(&[b"export", b"function", b"class ", b"interface ", b"enum ", b"namespace ", b"declare "])
        }
        Language::Go => Some(&[b"func ", b"type ", b"package "]),
        Language::Java => Some(&[
            b"public",
            b"protected",
            b"private",
            b"class ",
            b"interface ",
            b"enum ",
            b"record ",
            b"@",
            b"static",
        ]),
        _ => None,
    }
}
