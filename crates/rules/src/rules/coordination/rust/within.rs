//! What a file lets out of its own modules by `pub use`: `mod inner { pub fn f() {} } pub use inner::*;`.

use std::collections::{HashMap, HashSet};

use super::exports::{brought, is_pub};
use super::marks::marks;
use crate::syntax::{Item, ItemKind, Tree, Visibility};

/// More are not followed.
const MOST_DOORS: usize = 200;

/// Doors behind one another.
const LONGEST_WAY: usize = 4;

/// One name, or everything, of a module is found somewhere else as well. Paths are joined by dots.
struct Door {
    from: String,
    to: String,
    everything: bool,
}

#[derive(Default)]
struct House {
    doors: Vec<Door>,
    /// Modules by their path, and whether others may enter.
    modules: HashMap<String, bool>,
}

/// The items that others find under another path than their own, as if they stood there.
pub(super) fn exposed<'t>(tree: &'t Tree, items: &[Item<'t>]) -> Vec<Item<'t>> {
    let house = House::of(tree);
    if house.doors.is_empty() {
        return Vec::new();
    }
    let public: HashSet<String> = items
        .iter()
        .filter(|item| item.kind == ItemKind::Type && is_pub(item.node) && !marks(item.node).hidden)
        .map(Item::path)
        .collect();
    let mut found = Vec::new();
    for item in items.iter().filter(|item| !item.container.is_empty() && is_open(item)) {
        if !house.modules.contains_key(item.container.as_ref()) && !public.contains(item.container.as_ref()) {
            continue;
        }
        for (container, name) in house.ways(item) {
            found.push(Item {
                container: container.into(),
                name,
                visibility: Visibility::Public,
                ..item.clone()
            });
        }
    }
    found
}

/// Whether it is public by itself: what belongs to a variant or a trait always is.
fn is_open(item: &Item<'_>) -> bool {
    let node = item.node;
    let around = node.parent().and_then(|list| list.parent());
    let inherits = around.is_some_and(|around| around.kind() == "trait_item");
    let marks = marks(node);
    (is_pub(node) || node.kind() == "enum_variant" || inherits) && !marks.hidden && !marks.test_only
}

impl House {
    fn of(tree: &Tree) -> Self {
        let mut house = House::default();
        let mut nodes = tree.root().descendants();
        let mut around: Vec<(usize, String)> = Vec::new();
        while let Some(node) = nodes.next() {
            while around.last().is_some_and(|(end, _)| *end <= node.range().start) {
                around.pop();
            }
            let scope = around.last().map_or("", |(_, scope)| scope.as_str());
            match node.kind() {
                "block" | "token_tree" | "impl_item" => nodes.skip_inside(node),
                "mod_item" => {
                    let Some(name) = node.child("name") else { continue };
                    let path = joined(scope, &name.text());
                    let open = is_pub(node) && !marks(node).hidden;
                    house.modules.insert(path.clone(), open);
                    around.push((node.range().end, path));
                }
                "use_declaration" if is_pub(node) && house.doors.len() < MOST_DOORS => {
                    for one in brought(node) {
                        let Some(from) = resolved(scope, &one.path) else { continue };
                        let everything = one.name.is_none();
                        let to = one.name.map_or_else(|| scope.to_owned(), |name| joined(scope, &name));
                        house.doors.push(Door { from, to, everything });
                    }
                }
                _ => {}
            }
        }
        let modules = &house.modules;
        let inside = |path: &str| {
            let module = path.rsplit_once('.').map_or("", |(above, _)| above);
            modules.contains_key(path) || modules.contains_key(module)
        };
        house.doors.retain(|door| inside(&door.from));
        house
    }

    /// The public paths it has through doors.
    fn ways(&self, item: &Item<'_>) -> Vec<(String, String)> {
        let own = item.path();
        let mut known: HashSet<String> = HashSet::from([own.clone()]);
        let mut newest = vec![own];
        for _ in 0..LONGEST_WAY {
            let next: Vec<String> = newest
                .iter()
                .flat_map(|path| self.doors.iter().filter_map(|door| door.leads(path)))
                .filter(|path| known.insert(path.clone()))
                .collect();
            newest = next;
        }
        known.remove(&item.path());
        let split = |path: String| match path.rsplit_once('.') {
            Some((container, name)) => (container.to_owned(), name.to_owned()),
            None => (String::new(), path),
        };
        known.into_iter().filter(|path| self.is_public(path)).map(split).collect()
    }

    fn is_public(&self, path: &str) -> bool {
        let mut above = path;
        while let Some((module, _)) = above.rsplit_once('.') {
            if self.modules.get(module) == Some(&false) {
                return false;
            }
            above = module;
        }
        true
    }
}

impl Door {
    /// Where the door brings what has this path.
    fn leads(&self, path: &str) -> Option<String> {
        let rest = path.strip_prefix(&self.from)?;
        match rest.strip_prefix('.') {
            Some(inside) => Some(joined(&self.to, inside)),
            None => (rest.is_empty() && !self.everything).then(|| self.to.clone()),
        }
    }
}

fn joined(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}

/// A path as it would be written from the top of the file.
fn resolved(scope: &str, path: &str) -> Option<String> {
    let mut scope = scope.to_owned();
    let mut rest = path;
    loop {
        rest = match rest.split_once("::") {
            Some(("crate", rest)) => {
                scope.clear();
                rest
            }
            Some(("self", rest)) => rest,
            Some(("super", rest)) => {
                scope = scope.rsplit_once('.').map_or(String::new(), |(above, _)| above.to_owned());
                rest
            }
            _ => break,
        };
    }
    (!rest.is_empty()).then(|| joined(&scope, &rest.replace("::", ".")))
}
