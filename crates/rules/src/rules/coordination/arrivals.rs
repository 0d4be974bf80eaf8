//! What a file offers since the change, and did not before.

use std::collections::HashSet;

use super::rust;
use crate::context::FileContext;
use crate::language::Language;
use crate::syntax::{Item, Notion, Visibility, items};

/// Those of which the base of the file has none by that path.
pub(super) fn new_items<'f>(file: &'f FileContext<'_>) -> Vec<Item<'f>> {
    let (base, head) = file.sides();
    let before = base.map(items).unwrap_or_default();
    let known: HashSet<String> = before.iter().map(Item::path).collect();
    let now = head.map(items).unwrap_or_default();
    now.into_iter().filter(|item| !known.contains(&item.path())).collect()
}

/// What a file offers since the change: owner and name of each item, and `*` as the owner of what it exports again.
pub(super) fn arrivals(file: &FileContext<'_>) -> Vec<(String, String)> {
    let (_, Some(after)) = file.sides() else { return Vec::new() };
    let mut arrived: Vec<(String, String)> = new_items(file)
        .into_iter()
        .filter(|item| item.visibility == Visibility::Public)
        .map(|item| (item.container.rsplit('.').next().unwrap_or_default().to_owned(), item.name))
        .collect();
    if file.language == Language::Rust {
        arrived.extend(rust::implementations(after));
        let exported = rust::exported(after, |node| file.touched(node));
        arrived.extend(exported.into_iter().map(|name| ("*".to_owned(), name)));
    }
    let exports = after.root().descendants().filter(|node| {
        let again = match node.kind() {
            "export_clause" => true,
            _ => node.is(Notion::Import) && file.language == Language::Python,
        };
        again && file.touched(*node)
    });
    for export in exports {
        let names = export.descendants().filter(|node| node.is_kind(&["identifier", "type_identifier"]));
        arrived.extend(names.map(|name| ("*".to_owned(), name.text().into_owned())));
    }
    arrived
}
