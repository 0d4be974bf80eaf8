//! Where guards stand: at functions, at types, at routes.

use std::collections::HashMap;

use super::names::{OF_AN_ANSWER, SENDS_AWAY, is_guard};
use crate::syntax::{Node, Notion, Tree, functions};

/// Something that callers reach, and what stands in front of it.
pub(super) struct Place<'t> {
    pub(super) node: Node<'t>,
    /// How a finding calls it.
    pub(super) name: String,
    /// Where a finding points to.
    pub(super) line: u32,
    /// The type around it, if it has one.
    pub(super) container: String,
    pub(super) guards: Vec<Guard<'t>>,
    /// Branches that send callers away.
    pub(super) refusals: Vec<Node<'t>>,
}

pub(super) struct Guard<'t> {
    pub(super) name: String,
    pub(super) node: Node<'t>,
}

/// The places of a file, by what they are called.
pub(super) type Places<'t> = HashMap<String, Place<'t>>;

/// Calls that open a route when a path comes first.
const ROUTES: [&str; 16] = [
    "get",
    "post",
    "put",
    "delete",
    "patch",
    "all",
    "use",
    "handle",
    "handlefunc",
    "path",
    "re_path",
    "url",
    "route",
    "add_url_rule",
    "match",
    "add_api_route",
];

/// So much of what a guard is made of is looked at.
const MOST_WITHIN: usize = 200;

pub(super) fn places(tree: &Tree) -> Places<'_> {
    let mut places = Places::new();
    let mut by_node: HashMap<usize, String> = HashMap::new();
    for function in functions(tree).into_iter().filter(|function| !function.is_test) {
        let mut guards = marks(function.node);
        guards.extend(function.parameters().iter().flat_map(|one| depended_on(one.node)));
        let place = Place {
            node: function.node,
            name: format!("`{}`", function.name),
            line: function.name_line(),
            container: function.container.to_owned(),
            guards,
            refusals: Vec::new(),
        };
        by_node.insert(function.node.range().start, function.path());
        add(&mut places, function.path(), place);
    }
    for node in tree.root().descendants() {
        if let Some((key, place)) = of_type(node).or_else(|| of_route(node)) {
            by_node.entry(node.range().start).or_insert_with(|| key.clone());
            add(&mut places, key, place);
        }
    }
    for branch in tree.root().descendants().filter(|node| sends_away(*node)) {
        let around = branch.ancestors().find_map(|around| by_node.get(&around.range().start));
        if let Some(place) = around.and_then(|key| places.get_mut(key)) {
            place.refusals.push(branch);
        }
    }
    places
}

/// More guards of one name are not told apart.
const MOST_GUARDS: usize = 50;

/// What has one name counts as one.
fn add<'t>(places: &mut Places<'t>, key: String, place: Place<'t>) {
    match places.get_mut(&key) {
        Some(known) => {
            known.guards.extend(place.guards);
            known.guards.truncate(MOST_GUARDS);
        }
        None => {
            places.insert(key, place);
        }
    }
}

fn of_type(node: Node<'_>) -> Option<(String, Place<'_>)> {
    let name = node.child("name").filter(|_| node.is(Notion::Type) && node.is_named())?;
    let mut guards = marks(node);
    guards.extend(filters(node));
    let place = Place {
        node,
        name: format!("`{}`", name.text()),
        line: name.line(),
        container: String::new(),
        guards,
        refusals: Vec::new(),
    };
    Some((format!("type {}", name.text()), place))
}

/// `router.delete("/orders/:id", requireAuth, remove)`, `mux.Handle("/admin", RequireAdmin(handler))`.
fn of_route(node: Node<'_>) -> Option<(String, Place<'_>)> {
    let call = node.call()?;
    let name = call.name().to_ascii_lowercase();
    let path = call.arguments().next().filter(|_| ROUTES.contains(&name.as_str()))?;
    let path = if path.is(Notion::String) {
        path
    } else {
        path.named_children().next().filter(|inner| inner.is(Notion::String))?
    };
    let guards =
        call.arguments().skip(1).flat_map(|given| names_in(given).map(|(name, node)| Guard { name, node }));
    let place = Place {
        node,
        name: format!("the route {}", path.text()),
        line: node.line(),
        container: String::new(),
        guards: guards.collect(),
        refusals: Vec::new(),
    };
    Some((format!("route {name} {}", path.text()), place))
}

/// The names of guards in what is given, but for what stands in a function there.
fn names_in(given: Node<'_>) -> impl Iterator<Item = (String, Node<'_>)> {
    let mut within = given.descendants();
    let is_function = given.is(Notion::Lambda);
    let mut next = Some(given).filter(|_| !is_function);
    let mut left = if is_function { 0 } else { MOST_WITHIN };
    std::iter::from_fn(move || {
        while left > 0 {
            left -= 1;
            let node = next.take().or_else(|| within.next())?;
            if node.is(Notion::Lambda) {
                within.skip_inside(node);
            }
            let is_name = node.is_named() && node.kind().contains("identifier");
            if is_name && is_guard(&node.text()) {
                return Some((node.text().into_owned(), node));
            }
        }
        None
    })
}

/// Decorators, annotations and attributes of a function or a type.
fn marks(node: Node<'_>) -> Vec<Guard<'_>> {
    const HOLDERS: [&str; 4] = ["modifiers", "attribute_list", "attribute_group", "modifier_list"];
    let around = node.parent().filter(|around| around.is_kind(&["decorated_definition", "export_statement"]));
    let above = std::iter::successors(node.previous_sibling(), Node::previous_sibling)
        .take(MOST_MARKS)
        .take_while(|before| before.is_kind(&["decorator", "comment"]));
    let own = node
        .children()
        .flat_map(|child| child.children().filter(move |_| child.is_kind(&HOLDERS)).chain([child]));
    let of_around = around.into_iter().flat_map(|around| around.children());
    let all = own.chain(of_around).chain(above);
    all.filter(|mark| mark.is_kind(&["decorator", "annotation", "marker_annotation", "attribute"]))
        .filter_map(mark)
        .collect()
}

const MOST_MARKS: usize = 20;

fn mark(node: Node<'_>) -> Option<Guard<'_>> {
    let text = node.text();
    let plain = text.trim_start_matches(['@', '[', ' ']);
    let name = plain.split(['(', ']', '\n', ' ']).next()?.rsplit(['.', ':']).next()?;
    is_guard(name).then(|| Guard { name: name.to_owned(), node })
}

/// `before_action :authenticate_user!` of Ruby.
fn filters(class: Node<'_>) -> Vec<Guard<'_>> {
    const FILTERS: [&str; 4] =
        ["before_action", "before_filter", "prepend_before_action", "append_before_action"];
    let body = class.child("body").into_iter().flat_map(|body| body.named_children());
    let calls = body.filter(|node| node.call().is_some_and(|call| FILTERS.contains(&call.name().as_str())));
    calls
        .filter_map(|node| {
            let first = node.call()?.arguments().next()?.text().into_owned();
            let name = first.trim_start_matches(':').trim_end_matches('!').to_owned();
            is_guard(&name).then_some(Guard { name, node })
        })
        .collect()
}

/// `user = Depends(require_admin)` of FastAPI.
fn depended_on(parameter: Node<'_>) -> Vec<Guard<'_>> {
    let calls = parameter.descendants().take(MOST_WITHIN).filter_map(|node| node.call());
    calls
        .filter(|call| ["Depends", "Security"].contains(&call.name().as_str()))
        .flat_map(|call| call.arguments())
        .filter_map(|given| {
            let text = given.text();
            let name = text.split('(').next()?.rsplit('.').next()?.to_owned();
            (is_guard(&name) || name.contains("current_user")).then_some(Guard { name, node: given })
        })
        .collect()
}

/// `if (order.owner !== user) return res.status(403).end()`
fn sends_away(node: Node<'_>) -> bool {
    let is_branch = node.is_named()
        && (node.kind().starts_with("if") || node.is_kind(&["unless", "unless_modifier", "guard_statement"]));
    if !is_branch || node.end_line() - node.line() > MOST_LINES || node.bytes().len() > MOST_BYTES {
        return false;
    }
    let asked = node.child("condition").map(|asked| asked.bytes()).unwrap_or_default();
    SENDS_AWAY.regex().is_match(node.bytes()) && !OF_AN_ANSWER.regex().is_match(asked)
}

/// Longer branches do more than that.
const MOST_LINES: u32 = 8;
const MOST_BYTES: usize = 2_000;
