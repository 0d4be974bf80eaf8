//! What a file offers besides definitions: modules, macros, and names that are defined elsewhere.

use std::collections::{HashMap, HashSet};

use super::marks::marks;
use super::{Beyond, within};
use crate::rules::coordination::lost::{Line, Loss, Proof, Sort};
use crate::rules::coordination::words;
use crate::syntax::{Item, Node, Tree, Visibility, items};

/// Where others find what stands here: the public modules around it, joined by dots. `None` if they cannot.
pub(super) fn scope(node: Node<'_>) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for around in node.ancestors() {
        match around.kind() {
            "mod_item" => {
                let name = around.child("name")?.text().into_owned();
                if !is_pub(around) || is_inner(&name) || marks(around).hidden || marks(around).test_only {
                    return None;
                }
                names.push(name);
            }
            "declaration_list" | "source_file" => {}
            _ => return None,
        }
    }
    names.reverse();
    Some(names.join("."))
}

/// Whether a module says by its name that it is public for the crate's own macros and tests.
pub(in super::super) fn is_inner(module: &str) -> bool {
    module.starts_with('_') || matches!(module, "internal" | "internals" | "private")
}

pub(super) fn is_pub(node: Node<'_>) -> bool {
    node.child_of(&["visibility_modifier"]).is_some_and(|said| said.bytes() == b"pub")
}

/// By scope and name, with the line.
#[derive(Default)]
struct Offer {
    modules: HashMap<(String, String), u32>,
    macros: HashMap<String, u32>,
    /// Macros that are there, whether they are let out or not.
    known_macros: HashSet<String>,
    exports: HashMap<(String, String), u32>,
    /// Scope and what all is taken of.
    globs: HashMap<(String, String), u32>,
    derives: HashMap<String, (u32, Vec<String>)>,
    /// Modules that are there, whoever may see them.
    known_modules: HashSet<String>,
}

fn offer(tree: &Tree) -> Offer {
    let mut offer = Offer::default();
    let mut nodes = tree.root().descendants();
    while let Some(node) = nodes.next() {
        if node.kind() == "mod_item" {
            offer.known_modules.extend(node.child("name").map(|name| name.text().into_owned()));
        }
        match node.kind() {
            "block" | "token_tree" => nodes.skip_inside(node),
            "mod_item" | "use_declaration" | "extern_crate_declaration" if is_pub(node) => {
                let marks = marks(node);
                if let (Some(scope), false) = (scope(node), marks.hidden || marks.test_only) {
                    offer.add(scope, node);
                }
            }
            "macro_definition" => {
                let marks = marks(node);
                if let Some(name) = node.child("name").map(|name| name.text().into_owned()) {
                    offer.known_macros.insert(name.clone());
                    if marks.macro_export && !name.starts_with('_') && !marks.hidden && !marks.test_only {
                        offer.macros.insert(name, node.line());
                    }
                }
            }
            "function_item" => {
                let marks = marks(node);
                if let ([name, more @ ..], false) = (marks.derive_macro.as_slice(), marks.hidden) {
                    offer.derives.insert(name.clone(), (node.line(), more.to_vec()));
                }
            }
            _ => {}
        }
    }
    offer
}

impl Offer {
    fn is_empty(&self) -> bool {
        self.modules.is_empty()
            && self.macros.is_empty()
            && self.exports.is_empty()
            && self.globs.is_empty()
            && self.derives.is_empty()
    }

    fn scopes_with(&self, wanted: impl Fn(&(String, String)) -> bool) -> HashSet<&str> {
        self.globs.keys().filter(|key| wanted(key)).map(|key| key.0.as_str()).collect()
    }

    fn add(&mut self, scope: String, node: Node<'_>) {
        if node.kind() == "mod_item" {
            let name = node.child("name").map(|name| name.text().into_owned());
            if let Some(name) = name.filter(|name| !is_inner(name)) {
                self.modules.insert((scope, name), node.line());
            }
            return;
        }
        if node.kind() == "extern_crate_declaration" {
            if let Some(name) = node.child("alias").or_else(|| node.child("name")) {
                self.exports.insert((scope, name.text().into_owned()), node.line());
            }
            return;
        }
        for one in brought(node) {
            match one.name {
                // By its own name it is nobody else's.
                Some(name) if name.starts_with('_') => None,
                Some(name) => self.exports.insert((scope.clone(), name), one.line),
                None => self.globs.insert((scope.clone(), one.path), one.line),
            };
        }
    }
}

/// The names that the public `use` declarations of a file bring, those that `wanted` picks.
pub(super) fn names<'t>(tree: &'t Tree, wanted: impl Fn(Node<'t>) -> bool) -> Vec<String> {
    let declarations =
        tree.root().descendants().filter(|node| node.kind() == "use_declaration" && is_pub(*node));
    let names = declarations.filter(|node| wanted(*node)).flat_map(brought);
    names.filter_map(|one| one.name).collect()
}

/// Something that a `use` brings.
pub(super) struct Brought {
    /// With everything in front of it, as it is written.
    pub(super) path: String,
    /// What it is called here; `None` for all that is in the path.
    pub(super) name: Option<String>,
    pub(super) line: u32,
}

pub(super) fn brought(declaration: Node<'_>) -> Vec<Brought> {
    let mut found = Vec::new();
    let mut open: Vec<(Node<'_>, String)> =
        declaration.child("argument").map(|argument| (argument, String::new())).into_iter().collect();
    let last = |path: &str| path.rsplit("::").next().unwrap_or_default().to_owned();
    while let Some((node, around)) = open.pop() {
        let line = node.line();
        let path = |part: Option<Node<'_>>| {
            let text: String = part.map(|part| part.text().split_whitespace().collect()).unwrap_or_default();
            if around.is_empty() || text.is_empty() {
                format!("{around}{text}")
            } else {
                format!("{around}::{text}")
            }
        };
        match node.kind() {
            "identifier" | "crate" | "scoped_identifier" => {
                let path = path(Some(node));
                found.push(Brought { name: Some(last(&path)), path, line });
            }
            "use_as_clause" => {
                let name = node.child("alias").map(|alias| alias.text().into_owned());
                let name = name.filter(|name| name != "_");
                if let Some(name) = name {
                    found.push(Brought { path: path(node.child("path")), name: Some(name), line });
                }
            }
            "use_wildcard" => {
                found.push(Brought { path: path(node.named_children().next()), name: None, line });
            }
            "scoped_use_list" => {
                let path = path(node.child("path"));
                open.extend(node.child("list").map(|list| (list, path)));
            }
            "use_list" => open.extend(node.named_children().map(|child| (child, around.clone()))),
            "self" => found.push(Brought { name: Some(last(&around)), path: around, line }),
            _ => {}
        }
    }
    found
}

pub(super) fn compare(base: &Tree, head: Option<&Tree>) -> Vec<Beyond> {
    let was = offer(base);
    if was.is_empty() {
        return Vec::new();
    }
    let is = head.map(offer).unwrap_or_default();
    let mut defined = head.map(items).unwrap_or_default();
    let through = head.map(|head| within::exposed(head, &defined)).unwrap_or_default();
    defined.extend(through);
    let public = defined.iter().filter(|item| item.visibility == Visibility::Public);
    let public: HashSet<(&str, &str)> =
        public.map(|item: &Item<'_>| (item.container.as_ref(), item.name.as_str())).collect();
    let in_macros = head.map(in_macros).unwrap_or_default();
    let taken = is.scopes_with(|_| true);
    let newly_taken = is.scopes_with(|key| !was.globs.contains_key(key));
    let still = |key: &(String, String)| {
        public.contains(&(key.0.as_str(), key.1.as_str()))
            || is.exports.contains_key(key)
            || is.modules.contains_key(key)
            || (key.0.is_empty() && is.macros.contains_key(&key.1))
            || newly_taken.contains(key.0.as_str())
            || in_macros.contains(key.1.as_bytes())
    };
    let mut found = Vec::new();
    for (key, line) in was.modules.iter().filter(|(key, _)| !still(key)) {
        let loss = if is.known_modules.contains(&key.1) { Loss::Hidden } else { Loss::Gone };
        found.push(Beyond::new(Sort::Module, key, loss, Proof::Certain, Line::Old(*line)));
    }
    for (key, line) in was.exports.iter().filter(|(key, _)| !still(key)) {
        // Something else may bring the name: what is taken as a whole from somewhere.
        let proof = if taken.contains(key.0.as_str()) { Proof::Slight } else { Proof::Certain };
        found.push(Beyond::new(Sort::Export, key, Loss::Gone, proof, Line::Old(*line)));
    }
    for (name, line) in was.macros.iter().filter(|(name, _)| !is.macros.contains_key(*name)) {
        let key = (String::new(), name.clone());
        if !still(&key) {
            let loss = if is.known_macros.contains(name) { Loss::Hidden } else { Loss::Gone };
            found.push(Beyond::new(Sort::Macro, &key, loss, Proof::Certain, Line::Old(*line)));
        }
    }
    found.extend(globs(&was, &is, &newly_taken));
    found.extend(derives(&was, &is));
    found.sort_by_key(|one| match one.line {
        Line::Old(line) | Line::New(line) => (line, one.name.clone()),
    });
    found
}

/// What is exported, or defined as a macro, by what another macro is given: `cfg_net! { pub use tcp::Stream; }`.
fn in_macros(tree: &Tree) -> HashSet<&[u8]> {
    let mut found = HashSet::new();
    let mut nodes = tree.root().descendants();
    while let Some(node) = nodes.next() {
        if node.kind() == "block" {
            nodes.skip_inside(node);
        } else if node.kind() == "token_tree" {
            let text = node.bytes();
            for at in memchr::memmem::find_iter(text, "macro_rules!") {
                found.extend(words(&text[at + "macro_rules!".len()..]).next());
            }
            let mut rest = text;
            while let Some(at) = memchr::memmem::find(rest, b"pub use ") {
                let end = memchr::memchr(b';', &rest[at..]).map_or(rest.len(), |end| at + end);
                found.extend(words(&rest[at..end]));
                rest = &rest[end..];
            }
            nodes.skip_inside(node);
        }
    }
    found
}

/// What was taken as a whole from somewhere; unless names of it are listed instead.
fn globs(was: &Offer, is: &Offer, newly_taken: &HashSet<&str>) -> Vec<Beyond> {
    let new = is.exports.keys().filter(|key| !was.exports.contains_key(*key));
    let new = new.chain(is.modules.keys().filter(|key| !was.modules.contains_key(*key)));
    let replaced: HashSet<&str> = new.map(|key| key.0.as_str()).collect();
    let lost = was.globs.iter().filter(|(key, _)| !is.globs.contains_key(*key));
    lost.map(|(key, line)| {
        let anew = replaced.contains(key.0.as_str()) || newly_taken.contains(key.0.as_str());
        let proof = if anew { Proof::Slight } else { Proof::Likely };
        let shown = (key.0.clone(), format!("{}::*", key.1));
        Beyond::new(Sort::Export, &shown, Loss::Gone, proof, Line::Old(*line))
    })
    .collect()
}

fn derives(was: &Offer, is: &Offer) -> Vec<Beyond> {
    let lost = was.derives.iter().filter_map(|(name, (line, more))| {
        let key = (String::new(), name.clone());
        match is.derives.get(name) {
            None => Some(Beyond::new(Sort::Macro, &key, Loss::Gone, Proof::Certain, Line::Old(*line))),
            Some((now, still)) => {
                let words = |all: &[String]| all.join(",").replace("attributes(", "").replace(')', "");
                let (before, after) = (words(more), words(still));
                let after: HashSet<&str> = after.split(',').collect();
                let gone = before.split(',').find(|helper| !helper.is_empty() && !after.contains(helper))?;
                let how = format!("no longer knows the attribute {gone}");
                Some(Beyond::new(Sort::Macro, &key, Loss::Altered { how }, Proof::Certain, Line::New(*now)))
            }
        }
    });
    lost.collect()
}
