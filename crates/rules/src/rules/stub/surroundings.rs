//! What the rest of a Python file, and of its change, says of a function that does nothing.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use domain::change::FileChange;

use super::super::words::words;
use super::body::{Filler, only_filler};
use crate::context::FileContext;
use crate::syntax::{Function, Node, Notion, Tree, functions};

/// Each thing is looked for when it is first asked for, once for all functions of the file.
pub(super) struct Surroundings<'t, 'f> {
    tree: &'t Tree,
    file: &'f FileContext<'f>,
    heirs: OnceCell<HashSet<String>>,
    handed_over: OnceCell<HashSet<&'f [u8]>>,
    /// With the types around them.
    worked_before: OnceCell<HashSet<String>>,
    brought: OnceCell<Brought<'f>>,
    /// By where the class begins.
    interfaces: HashMap<usize, bool>,
}

/// Where added lines of the change define functions, by their names: two places each, as one may be the function's own.
type Brought<'f> = HashMap<&'f [u8], Vec<(&'f FileChange, u32)>>;

/// In changes of more files nobody looks for heirs in others.
const MOST_FILES: usize = 200;

impl<'t, 'f> Surroundings<'t, 'f> {
    pub(super) fn of(tree: &'t Tree, file: &'f FileContext<'f>) -> Self {
        Surroundings {
            tree,
            file,
            heirs: OnceCell::new(),
            handed_over: OnceCell::new(),
            worked_before: OnceCell::new(),
            brought: OnceCell::new(),
            interfaces: HashMap::new(),
        }
    }

    /// Whether a class of the file, or one that the change brings elsewhere, inherits from this one.
    pub(super) fn has_heirs(&self, class: &str) -> bool {
        let find = || {
            let bases = self.tree.all(Notion::Type).filter_map(|class| class.child("superclasses"));
            let names = bases.flat_map(|list| list.descendants()).filter(|node| node.kind() == "identifier");
            names.map(|name| name.text().into_owned()).collect()
        };
        let in_change = || self.file.shared().inherited.get_or_init(|| inherited_in_change(self.file));
        self.heirs.get_or_init(find).contains(class) || in_change().contains(class.as_bytes())
    }

    /// Whether a function is given to somebody who wants one: it is named without being called. What it does there may
    /// well be nothing.
    pub(super) fn is_handed_over(&self, function: &Function<'_>) -> bool {
        let find = || {
            let nodes = self.file.tree().map(|tree| tree.root().descendants());
            let names = nodes.into_iter().flatten().filter(|node| node.kind() == "identifier");
            names.filter(|node| is_value(*node)).map(|node| node.bytes()).collect()
        };
        self.handed_over.get_or_init(find).contains(function.name.as_bytes())
    }

    /// Whether the function did something before the change.
    pub(super) fn worked_before(&self, function: &Function<'_>) -> bool {
        let find = || {
            let before = self.file.base_tree().map(functions).unwrap_or_default();
            let worked = before
                .into_iter()
                .filter(|function| function.body.is_some_and(|body| only_filler(body).is_none()));
            worked.map(|function| function.path()).collect()
        };
        self.worked_before.get_or_init(find).contains(&function.path())
    }

    /// Whether the change brings another function of that name, which may do what this one did.
    pub(super) fn is_taken_over(&self, function: &Function<'_>) -> bool {
        let is_own = |(file, line): &(&FileChange, u32)| {
            file.path() == self.file.change.path() && *line == function.name_line()
        };
        let brought = self.brought.get_or_init(|| brought_by_change(self.file));
        let places = brought.get(function.name.as_bytes()).map(Vec::as_slice).unwrap_or_default();
        !places.iter().all(is_own)
    }

    /// Whether nothing in a class works: then it says what others have to do. A single method without a word about it
    /// was more likely forgotten.
    pub(super) fn is_interface(&mut self, class: Node<'_>) -> bool {
        *self.interfaces.entry(class.range().start).or_insert_with(|| refuses_everything(class))
    }
}

fn brought_by_change<'f>(file: &'f FileContext<'f>) -> Brought<'f> {
    let mut brought = Brought::new();
    for file in file.whole_change().files.iter().filter(|other| other.path().extension() == "py") {
        for (line, text) in file.added() {
            let mut words = words(text.trim_ascii_start()).skip_while(|word| *word == b"async");
            if let (Some(b"def"), Some(name)) = (words.next(), words.next()) {
                let places = brought.entry(name).or_default();
                if places.len() < 2 {
                    places.push((file, line));
                }
            }
        }
    }
    brought
}

/// The names that added lines of the change let classes inherit from.
fn inherited_in_change(file: &FileContext<'_>) -> HashSet<Vec<u8>> {
    let change = file.whole_change();
    let bases = |line: &[u8]| -> Vec<Vec<u8>> {
        let class = line.trim_ascii_start().strip_prefix(b"class ").unwrap_or_default();
        let bases = class.splitn(2, |byte| *byte == b'(').nth(1).unwrap_or_default();
        words(bases).map(<[u8]>::to_vec).collect()
    };
    let files = change.files.iter().filter(|other| other.path().extension() == "py");
    files
        .filter(|_| change.files.len() <= MOST_FILES)
        .flat_map(FileChange::added)
        .flat_map(|(_, line)| bases(line))
        .collect()
}

/// Neither what something is called, nor what is called.
fn is_value(name: Node<'_>) -> bool {
    let is_named = ["name", "attribute", "function", "left"].contains(&name.field());
    let is_declared = name.parent().is_none_or(|around| {
        around.is_kind(&["dotted_name", "parameters", "lambda_parameters", "decorator"])
    });
    !is_named && !is_declared
}

fn refuses_everything(class: Node<'_>) -> bool {
    let members = || class.child("body").into_iter().flat_map(|body| body.named_children());
    let is_special =
        |method: &Node<'_>| method.child("name").is_some_and(|name| name.bytes().starts_with(b"__"));
    let methods: Vec<Node<'_>> = members()
        .map(|node| node.child("definition").unwrap_or(node))
        .filter(|node| node.kind() == "function_definition" && !is_special(node))
        .collect();
    let refuses =
        |method: &Node<'_>| matches!(method.child("body").and_then(only_filler), Some((_, Filler::Refusal)));
    let documented = members().next().is_some_and(|first| {
        first.kind() == "expression_statement"
            && first.named_children().next().is_some_and(|inner| inner.is(Notion::String))
    });
    (methods.len() > 1 || documented) && methods.iter().all(refuses)
}
