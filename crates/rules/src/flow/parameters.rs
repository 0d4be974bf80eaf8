use tree_sitter::Node;

use super::models::has_strict_pattern;
use super::native::{declared_type, parameter_list};
use super::requests::known_as;
use super::scope::{Assignment, Given};
use super::typed::{HARMLESS_TYPES, leaves_no_choice};
use super::walk::{Step, walk};
use super::{Flow, Origin};
use crate::language::Language;

/// Types of Rust that a framework fills from a request, by what stands before their `<`.
const EXTRACTORS: [&str; 9] = [
    "Path<",
    "Query<",
    "Form<",
    "Json<",
    "web::Path<",
    "web::Query<",
    "web::Form<",
    "web::Json<",
    "extract::Path<",
];

/// What a framework puts into such a parameter comes from a request.
const REQUEST_ANNOTATIONS: [&str; 25] = [
    "[FromQuery",
    "[FromRoute",
    "[FromForm",
    "[FromBody",
    "[FromHeader",
    "@CookieParam",
    "@MatrixParam",
    "@BeanParam",
    "@RequestPart",
    "@QueryValue",
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

/// Decorators that make a function a tool of a language model, which passes on what strangers wrote.
const TOOLS: [&str; 4] = [".tool(", ".tool\n", ".call_tool(", ".resource("];

/// The same for functions of JavaScript, which are handed over.
const HANDED_OVER: [&str; 3] = [".tool", ".registerTool", ".setRequestHandler"];

/// The parameters of a function, with where their values come from.
pub(super) fn parameters<'t>(flow: &Flow<'t>, function: Node<'t>) -> Vec<Assignment<'t>> {
    let list =
        function.child_by_field_name("parameters").or_else(|| function.child_by_field_name("parameter"));
    let Some(list) = list.or_else(|| parameter_list(function)) else { return Vec::new() };
    let answers = answers_requests(flow, function, list);
    let mut found = Vec::new();
    let mut add = |name: &'t str, origin, whole| {
        found.push(Assignment {
            name,
            after: function.start_byte(),
            block: function.byte_range(),
            given: Given::From(origin),
            whole,
            taken: None,
        });
    };
    if matches!(list.kind(), "identifier" | "implicit_parameter") {
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
            let is_name = matches!(
                node.kind(),
                "identifier" | "shorthand_property_identifier_pattern" | "variable_name"
            );
            if is_name {
                add(flow.text_of(node), origin, parameter);
            }
            Step::Into
        });
    }
    found
}

fn origin(flow: &Flow<'_>, parameter: Node<'_>, answers: Answers) -> Origin {
    let text = flow.text_of(parameter);
    let declared = parameter.child_by_field_name("type").or_else(|| declared_type(parameter));
    let declared = declared.map(|declared| flow.text_of(declared).trim_start_matches(':').trim());
    // A pointer to a number of C may be the beginning of a text.
    let is_pointer = text.contains(['*', '[']) && matches!(flow.language, Language::C | Language::Cpp);
    if declared.is_some_and(|declared| leaves_no_choice(flow, declared)) && !is_pointer {
        return Origin::Clean;
    }
    if flow.language == Language::Python && has_strict_pattern(text) {
        return Origin::Clean;
    }
    if flow.language == Language::Rust
        && declared.is_some_and(|declared| EXTRACTORS.iter().any(|name| declared.starts_with(name)))
        && !declared.is_some_and(|declared| {
            HARMLESS_TYPES.iter().any(|name| declared.ends_with(&format!("<{name}>")))
        })
    {
        return Origin::Tainted;
    }
    // Kotlin keeps what stands before a parameter beside it.
    let before = parameter.prev_named_sibling().filter(|one| one.kind() == "parameter_modifiers");
    let before = before.map_or("", |before| flow.text_of(before));
    // With its package an annotation begins behind a dot.
    let is_annotated = |text: &str| {
        REQUEST_ANNOTATIONS.iter().any(|one| {
            text.contains(one)
                || text.starts_with('@') && text.contains(&format!(".{}", one.trim_start_matches('@')))
        })
    };
    if is_annotated(text) || is_annotated(before) {
        return Origin::Tainted;
    }
    // Of a request not everything was written by its sender; its parts tell.
    if declared.is_some_and(|declared| known_as(declared, flow.language).is_some()) {
        return Origin::Parameter;
    }
    let name = text.split([':', '=', ' ']).next().unwrap_or_default();
    if answers == Answers::Request && is_converted(flow, parameter, name) {
        return Origin::Clean;
    }
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

/// Whether the route takes only numbers for a parameter: `<int:number>`.
fn is_converted(flow: &Flow<'_>, parameter: Node<'_>, name: &str) -> bool {
    let function = parameter.parent().and_then(|list| list.parent());
    let decorated = function.and_then(|function| function.parent());
    let Some((function, decorated)) = function.zip(decorated) else { return false };
    let length = function.start_byte().saturating_sub(decorated.start_byte());
    let head = flow.text_of(decorated).get(..length).unwrap_or_default();
    ["<int:", "<float:", "<uuid:"].iter().any(|kind| head.contains(&format!("{kind}{name}>")))
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

/// Whether the first parameter is a request of Django's by its type: `(r: HttpRequest, name)`.
fn takes_request(parameters: &str) -> bool {
    let mut listed = parameters.trim_matches(['(', ')']).split(',').map(str::trim);
    let first = listed.find(|name| !matches!(*name, "self" | "cls"));
    let declared = first.and_then(|first| first.split_once(':')).map(|(_, declared)| declared.trim());
    declared.is_some_and(|declared| declared.rsplit('.').next() == Some("HttpRequest"))
}

/// Whether a function is handed over as a tool of the model context protocol.
fn is_tool(flow: &Flow<'_>, function: Node<'_>) -> bool {
    let call = function.parent().and_then(|arguments| arguments.parent());
    let callee = call.and_then(|call| call.child_by_field_name("function"));
    let callee = callee.map_or("", |callee| flow.text_of(callee));
    HANDED_OVER.iter().any(|method| callee.ends_with(method)) && flow.imports("@modelcontextprotocol")
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
                _ if takes_request(text) && is_view(flow, function, text) => Answers::Request,
                _ if head.is_some_and(|head| ROUTES.iter().any(|route| head.contains(route))) => {
                    Answers::Request
                }
                _ if head.is_some_and(|head| TOOLS.iter().any(|tool| head.contains(tool)))
                    && ["mcp", "fastmcp"].iter().any(|module| flow.imports(module)) =>
                {
                    Answers::Request
                }
                _ => Answers::Nothing,
            }
        }
        Language::JavaScript | Language::TypeScript => {
            let is_lambda = text.starts_with("(event")
                && flow.text_of(function.parent().unwrap_or(function)).contains("handler");
            if is_lambda {
                Answers::Event
            } else if is_tool(flow, function) {
                Answers::Request
            } else {
                Answers::Nothing
            }
        }
        Language::C | Language::Cpp => {
            let declarator = parameters.parent().and_then(|head| head.child_by_field_name("declarator"));
            let is_main = declarator.is_some_and(|name| flow.text_of(name) == "main");
            if is_main { Answers::Program } else { Answers::Nothing }
        }
        Language::Java | Language::Kotlin => {
            let is_main = function
                .child_by_field_name("name")
                .is_some_and(|name| flow.text_of(name) == "main" && text.contains("String"));
            if is_main { Answers::Program } else { Answers::Nothing }
        }
        _ => Answers::Nothing,
    }
}
