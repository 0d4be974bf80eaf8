use tree_sitter::Node;

use super::scope::{Assignment, Given};
use super::walk::{Step, walk};
use super::{Flow, Origin};
use crate::language::Language;

/// Of values that cannot hold a text.
const HARMLESS_TYPES: [&str; 24] = [
    "int",
    "float",
    "bool",
    "number",
    "boolean",
    "long",
    "short",
    "double",
    "byte",
    "Integer",
    "Long",
    "Double",
    "Boolean",
    "Float",
    "Short",
    "UUID",
    "uuid.UUID",
    "int64",
    "int32",
    "uint",
    "uint64",
    "uint32",
    "float64",
    "LocalDate",
];

/// What a framework puts into such a parameter comes from a request.
const REQUEST_ANNOTATIONS: [&str; 15] = [
    "@Query(",
    "@Body(",
    "@Param(",
    "@Headers(",
    "@RequestParam",
    "@PathVariable",
    "@RequestBody",
    "@RequestHeader",
    "@CookieValue",
    "@ModelAttribute",
    "@MatrixVariable",
    "@QueryParam",
    "@PathParam",
    "@FormParam",
    "@HeaderParam",
];

/// Decorators that make a function answer requests.
const ROUTES: [&str; 9] =
    [".route(", ".get(", ".post(", ".put(", ".delete(", ".patch(", ".websocket(", "api_view", ".api_route("];

/// The parameters of a function, with where their values come from.
pub(super) fn parameters<'t>(flow: &Flow<'t>, function: Node<'t>) -> Vec<Assignment<'t>> {
    let list =
        function.child_by_field_name("parameters").or_else(|| function.child_by_field_name("parameter"));
    let Some(list) = list else { return Vec::new() };
    let answers = answers_requests(flow, function, list);
    let mut found = Vec::new();
    let mut add = |name: &'t str, origin, whole| {
        found.push(Assignment {
            name,
            after: function.start_byte(),
            block: function.byte_range(),
            given: Given::From(origin),
            whole,
        });
    };
    if list.kind() == "identifier" {
        add(flow.text_of(list), Origin::Parameter, list);
        return found;
    }
    let mut cursor = list.walk();
    for parameter in list.named_children(&mut cursor) {
        let origin = origin(flow, parameter, answers);
        let declared = parameter.child_by_field_name("type");
        walk(parameter, |node| {
            let is_default =
                |field| parameter.child_by_field_name(field).is_some_and(|value| value.id() == node.id());
            if declared.is_some_and(|declared| declared.id() == node.id())
                || is_default("value")
                || is_default("right")
            {
                return Step::Over;
            }
            if matches!(node.kind(), "identifier" | "shorthand_property_identifier_pattern") {
                add(flow.text_of(node), origin, parameter);
            }
            Step::Into
        });
    }
    found
}

fn origin(flow: &Flow<'_>, parameter: Node<'_>, answers: Answers) -> Origin {
    let text = flow.text_of(parameter);
    let declared = parameter.child_by_field_name("type").map(|declared| flow.text_of(declared));
    let declared = declared.map(|declared| declared.trim_start_matches(':').trim());
    if declared.is_some_and(|declared| HARMLESS_TYPES.contains(&declared)) {
        return Origin::Clean;
    }
    if REQUEST_ANNOTATIONS.iter().any(|annotation| text.contains(annotation)) {
        return Origin::Tainted;
    }
    let name = text.split([':', '=', ' ']).next().unwrap_or_default();
    match answers {
        Answers::Request
            if !matches!(name, "self" | "cls" | "request" | "req") && !text.contains("Depends(") =>
        {
            Origin::Tainted
        }
        Answers::Event if name == "event" => Origin::Tainted,
        Answers::Program => Origin::Local,
        Answers::Request | Answers::Event | Answers::Nothing => Origin::Parameter,
    }
}

/// What calls the function, as far as its head tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answers {
    Nothing,
    /// A request: what else it takes comes out of its address or body.
    Request,
    /// An event, as of AWS Lambda.
    Event,
    /// The command line.
    Program,
}

/// A function beside others, or the method of a class that is named after what it answers.
fn is_view(flow: &Flow<'_>, function: Node<'_>, parameters: &str) -> bool {
    const ANSWERS: [&str; 14] = [
        "get", "post", "put", "patch", "delete", "head", "options", "dispatch", "list", "create", "retrieve",
        "update", "destroy", "handle",
    ];
    let name = function.child_by_field_name("name").map_or("", |name| flow.text_of(name));
    !parameters.starts_with("(self") || ANSWERS.contains(&name)
}

fn answers_requests(flow: &Flow<'_>, function: Node<'_>, parameters: Node<'_>) -> Answers {
    let text = flow.text_of(parameters);
    match flow.language {
        Language::Python => {
            let names: Vec<&str> = text
                .trim_matches(['(', ')'])
                .split(',')
                .map(|name| name.split([':', '=']).next().unwrap_or_default().trim())
                .filter(|name| !matches!(*name, "self" | "cls"))
                .collect();
            let decorated = function.parent().filter(|parent| parent.kind() == "decorated_definition");
            let head = decorated.map(|decorated| {
                let length = function.start_byte().saturating_sub(decorated.start_byte());
                flow.text_of(decorated).get(..length).unwrap_or_default()
            });
            match names.as_slice() {
                ["event", "context", ..] => Answers::Event,
                ["request", ..] if is_view(flow, function, text) => Answers::Request,
                _ if head.is_some_and(|head| ROUTES.iter().any(|route| head.contains(route))) => {
                    Answers::Request
                }
                _ => Answers::Nothing,
            }
        }
        Language::JavaScript | Language::TypeScript => {
            let is_lambda = text.starts_with("(event")
                && flow.text_of(function.parent().unwrap_or(function)).contains("handler");
            if is_lambda { Answers::Event } else { Answers::Nothing }
        }
        Language::Java => {
            let is_main = function
                .child_by_field_name("name")
                .is_some_and(|name| flow.text_of(name) == "main" && text.contains("String"));
            if is_main { Answers::Program } else { Answers::Nothing }
        }
        _ => Answers::Nothing,
    }
}
