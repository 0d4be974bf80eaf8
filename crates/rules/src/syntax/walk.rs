use std::collections::HashMap;

use super::arity::{Arity, Takes, parameters};
use super::node::Node;
use super::notion::{Notion, Notions};
use super::shapes::{Exports, Visibility};
use super::tree::Tree;

/// Something with a name, and where it belongs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Definition<'t> {
    pub(super) node: Node<'t>,
    pub(super) notion: Notion,
    pub(super) name: Node<'t>,
    /// The types and modules around it, outermost first, joined by dots.
    pub(super) container: &'t str,
    pub(super) visibility: Visibility,
    /// Inside a function.
    pub(super) local: bool,
    pub(super) signature: Option<Signature>,
}

/// What there is to say of a function whose parameters can be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signature {
    pub(super) arity: Arity,
    pub(super) has_receiver: bool,
    pub(super) is_test: bool,
    body: Option<u32>,
}

impl Signature {
    fn of(function: Node<'_>) -> Option<Self> {
        let spec = &function.tree().table().spec;
        let parameters = parameters(function)?;
        Some(Signature {
            arity: Arity::of(&parameters),
            has_receiver: parameters.iter().any(|one| one.takes == Takes::Receiver),
            is_test: (spec.is_test)(function),
            body: (spec.body)(function).map(|body| body.index),
        })
    }

    pub(super) fn body<'t>(&self, tree: &'t Tree) -> Option<Node<'t>> {
        self.body.map(|index| Node { tree, index })
    }
}

/// A [`Definition`] as a tree keeps it: nodes by their index.
#[derive(Debug)]
pub(super) struct Known {
    node: u32,
    notion: Notion,
    name: u32,
    container: String,
    visibility: Visibility,
    local: bool,
    signature: Option<Signature>,
}

impl Known {
    fn node<'t>(&self, tree: &'t Tree) -> Node<'t> {
        Node { tree, index: self.node }
    }

    fn name<'t>(&self, tree: &'t Tree) -> Node<'t> {
        Node { tree, index: self.name }
    }
}

/// What is open around the node that is being looked at.
struct Frame<'t> {
    node: Node<'t>,
    /// Where the path to here ends in the joined names.
    length: usize,
    visibility: Visibility,
    local: bool,
}

const DEFINES: [Notion; 6] =
    [Notion::Function, Notion::Type, Notion::Module, Notion::Field, Notion::Variant, Notion::Constant];

/// All definitions of a file, in the order of the text. Looked for once.
pub(super) fn definitions(tree: &Tree) -> impl Iterator<Item = Definition<'_>> {
    let known = tree.definitions.get_or_init(|| found(tree));
    known.iter().map(move |one| Definition {
        node: one.node(tree),
        notion: one.notion,
        name: one.name(tree),
        container: &one.container,
        visibility: one.visibility,
        local: one.local,
        signature: one.signature,
    })
}

fn found(tree: &Tree) -> Vec<Known> {
    let spec = &tree.table().spec;
    let mut found: Vec<Known> = Vec::new();
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let outside = said_for_all(tree);
    let mut path = outside.clone();
    let telling = DEFINES.into_iter().fold(Notions::default().with(Notion::Lambda), Notions::with);
    for node in tree.root().descendants().filter(|node| node.is_any(telling)) {
        while frames.last().is_some_and(|frame| !frame.node.contains(node)) {
            frames.pop();
            path.truncate(frames.last().map_or(outside.len(), |frame| frame.length));
        }
        let outer = frames.last().map_or(Visibility::Public, |frame| frame.visibility);
        let local = frames.last().is_some_and(|frame| frame.local);
        let named = DEFINES
            .into_iter()
            .filter(|notion| node.is(*notion))
            .find_map(|notion| Some((notion, (spec.name)(node, notion)?)));
        let Some((notion, name)) = named.filter(|(_, name)| !name.has_error()) else {
            if node.is(Notion::Lambda) {
                let length = path.len();
                frames.push(Frame { node, length, visibility: Visibility::Private, local: true });
            }
            continue;
        };
        let owner = if notion == Notion::Function { (spec.owner)(node) } else { None };
        let own = if local { Visibility::Private } else { (spec.visibility)(node) };
        let visibility = own.min(outer);
        let container = match owner {
            Some(owner) => joined(&path, &owner.text()),
            None => path.clone(),
        };
        let signature = (notion == Notion::Function).then(|| Signature::of(node)).flatten();
        found.push(Known {
            node: node.index,
            notion,
            name: name.index,
            container,
            visibility,
            local,
            signature,
        });
        let opens = matches!(notion, Notion::Function | Notion::Type | Notion::Module);
        if opens && node.children().next().is_some() {
            if notion != Notion::Function {
                path = joined(&path, &name.text());
            }
            let local = local || notion == Notion::Function;
            frames.push(Frame { node, length: path.len(), visibility, local });
        }
    }
    adjust(tree, &mut found, &(spec.exports)(tree));
    found
}

/// `namespace Shop;` of C#, which stands for the whole file: what is in it is the same as in a namespace with brackets.
fn said_for_all(tree: &Tree) -> String {
    let said = tree.root().children().find(|node| node.kind() == "file_scoped_namespace_declaration");
    let name = said.and_then(|said| said.child("name"));
    name.map(|name| joined("", &name.text())).unwrap_or_default()
}

/// Longer names are not compared in full; no program has them.
const LONGEST_PATH: usize = 400;

fn joined(path: &str, name: &str) -> String {
    let joined = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let end = joined.char_indices().map(|(at, _)| at).nth(LONGEST_PATH).unwrap_or(joined.len());
    joined[..end].to_owned()
}

/// By what the file says elsewhere: lists of exports, and the types that functions outside them belong to.
fn adjust(tree: &Tree, found: &mut [Known], exports: &Exports) {
    for definition in found.iter_mut().filter(|one| !one.local && one.container.is_empty()) {
        let listed =
            |names: &std::collections::HashSet<String>| names.contains(definition.name(tree).text().as_ref());
        match exports {
            Exports::Unsaid => {}
            Exports::Also(names) if listed(names) => definition.visibility = Visibility::Public,
            Exports::Only(names) if !listed(names) => {
                definition.visibility = definition.visibility.min(Visibility::Restricted);
            }
            Exports::Also(_) | Exports::Only(_) => {}
        }
    }
    let mut types: HashMap<String, Visibility> = HashMap::new();
    for one in found.iter().filter(|one| one.notion == Notion::Type) {
        let seen = types.entry(joined(&one.container, &one.name(tree).text())).or_insert(one.visibility);
        *seen = (*seen).max(one.visibility);
    }
    let by_listing = matches!(exports, Exports::Also(_));
    for one in found.iter_mut().filter(|one| !one.local && !one.container.is_empty()) {
        if let Some(around) = types.get(&one.container) {
            let said = || (tree.table().spec.visibility)(one.node(tree));
            let own = if by_listing { said() } else { one.visibility };
            one.visibility = own.min(*around);
        }
    }
}
