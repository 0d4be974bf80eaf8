use std::collections::{HashMap, HashSet};

use super::super::rust::{Alteration, Beyond};
use super::{export, likely};
use crate::rules::coordination::lost::Loss;
use crate::syntax::{Item, ItemKind, Node, Tree};

pub(super) fn altered(was: &Item<'_>, is: &Item<'_>) -> Option<Alteration> {
    let (old, new) = (was.node, is.node);
    match was.kind {
        ItemKind::Function if new.kind() == "function_definition" => {
            moved_parameter(old, new).or_else(|| called_otherwise(old, new)).map(likely)
        }
        ItemKind::Type if new.kind() == "class_definition" => needed_field(old, new).map(likely),
        _ => None,
    }
}

/// More mentions of a name are not looked at.
const MOST_MENTIONS: usize = 50;

/// Whether one of several names that are given at once is the one: `a, b = map(..)`.
pub(super) fn binds(item: &Item<'_>, head: &Tree) -> bool {
    const LISTS: [&str; 3] = ["pattern_list", "tuple_pattern", "list_pattern"];
    let found = memchr::memmem::find_iter(head.text(), &item.name).take(MOST_MENTIONS);
    let names = found.map(|at| head.covering(at..at + item.name.len()));
    let mut names = names.filter(|node| node.kind() == "identifier" && node.bytes() == item.name.as_bytes());
    names.any(|name| {
        let listed = name.parent().is_some_and(|list| list.is_kind(&LISTS) && list.field() == "left");
        let is_local = |around: Node<'_>| around.is_kind(&["function_definition", "lambda"]);
        listed && !name.ancestors().any(is_local)
    })
}

/// Callers may give an argument by its name; but not one that is for positions only, or says that it is private.
pub(super) fn unnamed(was: &Item<'_>, is: &Item<'_>) -> Option<String> {
    if was.kind != ItemKind::Function || is.node.kind() != "function_definition" {
        return None;
    }
    let (was, is) = (Parameters::of(was.node), Parameters::of(is.node));
    let lost = was.named().find(|name| !is.named().any(|kept| kept == *name) && !name.starts_with('_'))?;
    (!is.takes_any_name).then(|| lost.clone())
}

/// Callers may as well give it by its position.
fn moved_parameter(old: Node<'_>, new: Node<'_>) -> Option<String> {
    let (was, is) = (Parameters::of(old), Parameters::of(new));
    let mut moved =
        was.positional.iter().enumerate().filter(|(at, name)| is.positional.get(*at) != Some(name));
    let (_, first) = moved.next()?;
    if is.positional.contains(first) {
        return Some(format!("takes {first} at another position"));
    }
    (is.by_name.contains(first) && !is.takes_any_number).then(|| format!("takes {first} by name only"))
}

/// Awaited, looked up or called on something else than before.
fn called_otherwise(old: Node<'_>, new: Node<'_>) -> Option<String> {
    let is_async = |node: Node<'_>| node.child_of(&["async"]).is_some();
    // Who calls by an address waits in either case.
    let answers = |node: Node<'_>| decorators(node).iter().any(|one| ROUTES.contains(&one.as_str()));
    match (is_async(old), is_async(new)) {
        _ if answers(old) && answers(new) => {}
        (false, true) => return Some("became async".to_owned()),
        (true, false) => return Some("is no longer async".to_owned()),
        _ => {}
    }
    let (was, is) = (decorators(old), decorators(new));
    for (word, noun) in [("property", "a property"), ("cached_property", "a property")] {
        let is_property =
            |all: &[String]| all.iter().any(|one| one == "property" || one == "cached_property");
        match (is_property(&was), is_property(&is)) {
            (true, false) if was.iter().any(|one| one == word) => {
                return Some(format!("is no longer {noun}"));
            }
            (false, true) if is.iter().any(|one| one == word) => return Some(format!("became {noun}")),
            _ => {}
        }
    }
    let bound = |all: &[String]| all.iter().any(|one| one == "staticmethod" || one == "classmethod");
    (bound(&was) && !bound(&is)).then(|| "can no longer be called on the class".to_owned())
}

/// Decorators by which a framework calls a function.
const ROUTES: [&str; 11] = [
    "get",
    "post",
    "put",
    "patch",
    "delete",
    "head",
    "options",
    "route",
    "api_route",
    "websocket",
    "on_event",
];

/// The last words of all decorators, without arguments.
fn decorators(definition: Node<'_>) -> Vec<String> {
    let decorated = definition.parent().filter(|parent| parent.kind() == "decorated_definition");
    let all = decorated.into_iter().flat_map(|parent| parent.named_children());
    let texts = all.filter(|child| child.kind() == "decorator").map(|one| {
        let text = one.text();
        let path = text.trim_start_matches('@').split('(').next().unwrap_or_default().trim().to_owned();
        path.rsplit('.').next().unwrap_or_default().to_owned()
    });
    texts.collect()
}

/// Decorators after which callers give what the function says that it takes.
const KEEPING: [&str; 39] = [
    "abstractmethod",
    "asynccontextmanager",
    "atomic",
    "backoff",
    "beartype",
    "cache",
    "cached_property",
    "classmethod",
    "contextmanager",
    "csrf_exempt",
    "delete",
    "deprecated",
    "final",
    "get",
    "getter",
    "login_required",
    "lru_cache",
    "on_exception",
    "njit",
    "no_type_check",
    "overload",
    "override",
    "patch",
    "permission_required",
    "post",
    "property",
    "put",
    "receiver",
    "register",
    "require_http_methods",
    "retry",
    "route",
    "setter",
    "singledispatch",
    "singledispatchmethod",
    "staticmethod",
    "timed",
    "typechecked",
    "wraps",
];

/// The decorators of a function that may give it arguments which its callers do not.
pub(super) fn giving(function: Node<'_>) -> Vec<String> {
    decorators(function).into_iter().filter(|one| !KEEPING.contains(&one.as_str())).collect()
}

/// Whoever builds a data class has to give what has no default.
fn needed_field(old: Node<'_>, new: Node<'_>) -> Option<String> {
    let is_data = |node: Node<'_>| decorators(node).iter().any(|one| one == "dataclass");
    if !is_data(old) || !is_data(new) {
        return None;
    }
    let known: HashSet<String> = fields(old).into_iter().map(|(name, _)| name).collect();
    let added = fields(new).into_iter().find(|(name, needed)| *needed && !known.contains(name))?;
    Some(format!("has to be built with the new field {}", added.0))
}

/// With whether there is no default.
fn fields(class: Node<'_>) -> Vec<(String, bool)> {
    let body = class.child("body").into_iter().flat_map(|body| body.named_children());
    let assigned = body.filter_map(|statement| {
        let assignment = statement.named_children().next().filter(|one| one.kind() == "assignment")?;
        let kind = assignment.child("type")?;
        let of_class = kind.text().contains("ClassVar") || kind.text().contains("KW_ONLY");
        let name = assignment.child("left")?.text().into_owned();
        (!of_class).then(|| (name, assignment.child("right").is_none()))
    });
    assigned.collect()
}

#[derive(Default)]
struct Parameters {
    for_positions_only: Vec<String>,
    /// Those that may be given by position, in order; all but those above by name as well.
    positional: Vec<String>,
    by_name: Vec<String>,
    takes_any_number: bool,
    takes_any_name: bool,
}

impl Parameters {
    fn of(function: Node<'_>) -> Self {
        let mut found = Parameters::default();
        let mut only_by_name = false;
        let list = function.child("parameters").into_iter().flat_map(|list| list.named_children());
        for parameter in list {
            let inner = parameter.named_children().next().unwrap_or(parameter);
            let name = match parameter.kind() {
                "identifier" => Some(parameter),
                "default_parameter" | "typed_default_parameter" => parameter.child("name"),
                "typed_parameter" => parameter.child_of(&["identifier"]),
                "positional_separator" => {
                    found.for_positions_only.clone_from(&found.positional);
                    None
                }
                "keyword_separator" => {
                    only_by_name = true;
                    None
                }
                _ => None,
            };
            let splat = |kind: &str| parameter.kind() == kind || inner.kind() == kind;
            if splat("list_splat_pattern") {
                only_by_name = true;
                found.takes_any_number = true;
            }
            found.takes_any_name |= splat("dictionary_splat_pattern");
            let name = name
                .map(|name| name.text().into_owned())
                .filter(|name| !["self", "cls"].contains(&name.as_str()));
            if only_by_name {
                found.by_name.extend(name);
            } else {
                found.positional.extend(name);
            }
        }
        found
    }

    fn named(&self) -> impl Iterator<Item = &String> {
        let positional = self.positional.iter().filter(|name| !self.for_positions_only.contains(name));
        positional.chain(&self.by_name)
    }
}

/// What the front of a package takes from its modules for others.
pub(super) fn exports(base: &Tree, head: Option<&Tree>) -> Vec<Beyond> {
    let was = Front::of(base);
    let is = head.map(Front::of).unwrap_or_default();
    if is.open {
        return Vec::new();
    }
    let mut names: Vec<(&String, &u32)> = was.taken.iter().collect();
    names.sort();
    let mut found = Vec::new();
    for (name, line) in names {
        let listed = was.listed.is_empty() || was.listed.contains(name);
        let still = is.names.contains(name);
        if !still && listed {
            found.push(export(name, Loss::Gone, *line));
        } else if was.listed.contains(name) && !is.listed.is_empty() && !is.listed.contains(name) {
            found.push(export(name, Loss::Hidden, *line));
        }
    }
    found
}

#[derive(Default)]
struct Front {
    /// Taken from a module of the same package.
    taken: HashMap<String, u32>,
    /// Everything that is bound at the top.
    names: HashSet<String>,
    listed: HashSet<String>,
    /// There may be more names than can be seen.
    open: bool,
}

impl Front {
    fn of(tree: &Tree) -> Self {
        let mut front = Front::default();
        for statement in tree.root().named_children() {
            front.read(statement);
        }
        let lists = tree.root().descendants().filter(|node| {
            node.kind() == "assignment" && node.child("left").is_some_and(|left| left.bytes() == b"__all__")
        });
        for list in lists {
            let strings = list.descendants().filter(|node| node.kind() == "string_content");
            front.listed.extend(strings.map(|name| name.text().into_owned()));
        }
        front
    }

    fn read(&mut self, statement: Node<'_>) {
        match statement.kind() {
            "import_from_statement" => {
                self.open |= statement.child_of(&["wildcard_import"]).is_some();
                let own = statement.child("module_name").is_some_and(|name| name.kind() == "relative_import");
                for one in statement.children().filter(|child| child.field() == "name") {
                    let name = one.child("alias").or_else(|| one.child("name")).unwrap_or(one);
                    let name = name.text().into_owned();
                    if own && !name.starts_with('_') {
                        self.taken.insert(name.clone(), one.line());
                    }
                    self.names.insert(name);
                }
            }
            "function_definition" | "class_definition" | "decorated_definition" => {
                let definition = statement.child("definition").unwrap_or(statement);
                let name = definition.child("name").map(|name| name.text().into_owned());
                self.open |= name.as_deref() == Some("__getattr__");
                self.names.extend(name);
            }
            "expression_statement" => {
                let assigned = statement.named_children().next().and_then(|one| one.child("left"));
                self.names.extend(assigned.map(|name| name.text().into_owned()));
            }
            "import_statement" => {
                let names = statement.descendants().filter(|node| node.kind() == "identifier");
                self.names.extend(names.map(|name| name.text().into_owned()));
            }
            // What depends on a condition may be there or not.
            "if_statement" | "try_statement" | "with_statement" => {
                let names = statement.descendants().filter(|node| node.kind() == "identifier");
                self.names.extend(names.map(|name| name.text().into_owned()));
            }
            _ => {}
        }
    }
}
