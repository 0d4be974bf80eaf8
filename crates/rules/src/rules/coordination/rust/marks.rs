use crate::syntax::Node;

/// What the attributes in front of an item say that matters to others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an attribute that is there or not")]
pub(super) struct Marks {
    pub(super) hidden: bool,
    pub(super) deprecated: bool,
    pub(super) non_exhaustive: bool,
    /// There are conditions under which it is not there.
    pub(super) conditional: bool,
    pub(super) test_only: bool,
    pub(super) macro_export: bool,
    pub(super) no_mangle: bool,
    pub(super) export_name: String,
    /// Last words of what is derived.
    pub(super) derives: Vec<String>,
    /// Sorted, without spaces.
    pub(super) reprs: Vec<String>,
    pub(super) target_features: Vec<String>,
    /// `Name` and `attributes(..)` of a procedural derive.
    pub(super) derive_macro: Vec<String>,
}

/// The attributes in front of an item.
pub(super) fn attributes(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(node.previous_sibling(), Node::previous_sibling)
        .take_while(|before| {
            before.is_kind(&["attribute_item", "line_comment", "block_comment", "visibility_modifier"])
        })
        .filter(|before| before.kind() == "attribute_item")
}

/// Where an item begins, with its attributes.
pub(super) fn beginning(node: Node<'_>) -> usize {
    attributes(node).last().map_or(node.range().start, |first| first.range().start)
}

pub(super) fn marks(node: Node<'_>) -> Marks {
    let mut marks = Marks::default();
    let is_use = node.kind() == "use_declaration";
    for attribute in attributes(node) {
        let text: String = attribute.text().split_whitespace().collect();
        // Whoever brings something that is deprecated has to allow it.
        let brings_old = is_use && (text.starts_with("#[allow(") || text.starts_with("#[expect("));
        marks.deprecated |= text.starts_with("#[deprecated") || (brings_old && text.contains("deprecated"));
        read(&text, &mut marks);
    }
    // Hidden so that nobody starts to use it; those who do may go on.
    marks.hidden &= !marks.deprecated;
    marks.reprs.sort();
    marks
}

fn read(text: &str, marks: &mut Marks) {
    let inner = text.trim_start_matches("#[").trim_end_matches(']');
    let inner = inner.strip_prefix("unsafe(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(inner);
    let path = inner.split(['(', '=']).next().unwrap_or_default();
    match path.rsplit("::").next().unwrap_or_default() {
        "doc" => marks.hidden |= inner.starts_with("doc(hidden"),
        "non_exhaustive" => marks.non_exhaustive = true,
        "cfg" => {
            marks.conditional = true;
            marks.test_only |= is_never_for_others(inner);
        }
        "cfg_attr" if inner.starts_with("cfg_attr(test,") => {}
        "cfg_attr" => {
            marks.conditional = true;
            marks.derives.extend(listed(inner, "derive(").iter().map(|path| last_word(path)));
            marks.hidden |= inner.contains("doc(hidden)") && !inner.contains("docsrs");
        }
        "macro_export" => marks.macro_export = true,
        "no_mangle" => marks.no_mangle = true,
        "export_name" => inner.clone_into(&mut marks.export_name),
        "derive" => marks.derives.extend(listed(inner, "derive(").iter().map(|path| last_word(path))),
        "repr" => marks.reprs.extend(listed(inner, "repr(")),
        "target_feature" => {
            let quoted = inner.split('"').skip(1).step_by(2).flat_map(|all| all.split(','));
            marks.target_features.extend(quoted.map(|feature| feature.trim().to_owned()));
        }
        "proc_macro_derive" => marks.derive_macro = listed(inner, "proc_macro_derive("),
        _ => {}
    }
}

/// Conditions that nobody fulfils who builds the crate to use it.
fn is_never_for_others(inner: &str) -> bool {
    matches!(inner, "cfg(test)" | "cfg(any())" | "cfg(false)" | "cfg(FALSE)" | "cfg(not(all()))")
        || (inner.starts_with("cfg(all(") && listed(inner, "cfg(all(").iter().any(|part| part == "test"))
}

/// What stands in the parentheses, at commas outside further ones.
pub(super) fn listed(text: &str, opening: &str) -> Vec<String> {
    let Some(at) = text.find(opening) else { return Vec::new() };
    let (mut depth, mut entries) = (0_u32, vec![String::new()]);
    for c in text[at + opening.len()..].chars() {
        match c {
            ')' if depth == 0 => break,
            ',' if depth == 0 => entries.push(String::new()),
            _ => {
                depth = match c {
                    '(' => depth + 1,
                    ')' => depth - 1,
                    _ => depth,
                };
                if let Some(last) = entries.last_mut() {
                    last.push(c);
                }
            }
        }
    }
    entries.retain(|entry| !entry.is_empty());
    entries
}

pub(super) fn last_word(path: &str) -> String {
    path.rsplit("::").next().unwrap_or_default().to_owned()
}
