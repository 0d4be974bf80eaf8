//! Where hostile values come from, and what makes them harmless. By name: types are not known.

use super::tables::{
    BASE_NAMES, CONVERTING, FILLING, FORMATTING, HARMLESS, HARMLESS_WORDS, REQUESTS, TEXTUAL, WRITTEN,
    WRITTEN_OF_CONTEXT,
};
use super::{HOLE, OWN_HOLE, Origin, Value};
use crate::language::Language;

/// Methods of an uploaded file, whatever it is called, that tell what its sender wrote.
const UPLOADED: [&str; 3] = [".getOriginalFilename()", ".getSubmittedFileName()", ".originalname"];

/// Sources that stand by themselves.
const ALONE: [&str; 21] = [
    "location.search",
    "location.hash",
    "location.href",
    "window.location",
    "document.location",
    "document.URL",
    "document.documentURI",
    "document.referrer",
    "window.name",
    "document.cookie",
    "github.com/gorilla/mux.Vars()",
    "github.com/go-chi/chi.URLParam()",
    "github.com/go-chi/chi/v5.URLParam()",
    "cgi.FieldStorage()",
    "self.get_argument()",
    "self.get_query_argument()",
    "self.get_body_argument()",
    "self.get_arguments()",
    "self.get_query_arguments()",
    "self.get_body_arguments()",
    "self.get_cookie()",
];

/// Parts of a request of aiohttp, Starlette and Tornado, beside those of all languages.
const WRITTEN_IN_PYTHON: [&str; 9] = [
    "path",
    "post",
    "text",
    "read",
    "multipart",
    "rel_url",
    "arguments",
    "body_arguments",
    "query_arguments",
];

/// Parts of the requests that Spring's reactive handlers, Spark, Vert.x and Lambda pass.
const WRITTEN_IN_JAVA: [&str; 11] = [
    "queryParam",
    "queryParams",
    "pathVariable",
    "pathParam",
    "formParam",
    "getQueryParams",
    "getQueryStringParameters",
    "getPathParameters",
    "getFormAttribute",
    "getParam",
    "getBody",
];

/// What whoever runs the program writes.
const LOCAL: [&str; 15] = [
    "input()",
    "raw_input()",
    "sys.argv",
    "sys.stdin",
    "process.argv",
    "os.Args",
    "flag.Arg()",
    "flag.Args()",
    "std.env.args()",
    "std.io.stdin()",
    "getenv()",
    "std.getenv()",
    "secure_getenv()",
    "readLine()",
    "readln()",
];

/// Where something of this whole name comes from, if from outside.
pub(super) fn source(whole: &str, language: Language) -> Option<Origin> {
    if is_source(whole, language) {
        Some(Origin::Tainted)
    } else {
        starts_with_one(whole, &LOCAL).then_some(Origin::Local)
    }
}

/// Parts of a request that begin with the `/` of its path: behind a host they cannot make another of it, and by themselves
/// they lead back to where the request went.
const ROOTED: [&str; 11] = [
    ".URL.Path",
    ".URL.RequestURI()",
    ".URL.EscapedPath()",
    ".RequestURI",
    ".originalUrl",
    "req.url",
    "req.path",
    "request.path",
    "request.full_path",
    ".getRequestURI()",
    ".getServletPath()",
];

/// What is known about a value of this whole name, which comes from outside.
pub(super) fn as_written(origin: Origin, whole: &str) -> Value {
    match ROOTED.iter().any(|part| whole.ends_with(part)) {
        true => Value { text: format!("/{OWN_HOLE}{HOLE}"), ..Value::of(origin) },
        false => Value::of(origin),
    }
}

fn starts_with_one(whole: &str, names: &[&str]) -> bool {
    let goes_on = |rest: &str| rest.is_empty() || rest.starts_with(['.', '(']);
    names.iter().any(|name| whole.strip_prefix(*name).is_some_and(goes_on))
}

/// Whether something of this whole name is written by an attacker.
fn is_source(whole: &str, language: Language) -> bool {
    // What another program of the telephone sends.
    let is_android = matches!(language, Language::Java | Language::Kotlin)
        && whole.trim_start_matches("this.").starts_with("getIntent().get");
    // A piece of the address that httprouter has cut out.
    let is_piece = language == Language::Go && whole.ends_with(".ByName()");
    if is_android
        || is_piece
        || starts_with_one(whole, &ALONE)
        || UPLOADED.iter().any(|method| whole.ends_with(method))
    {
        return true;
    }
    let parts: Vec<&str> = whole.split('.').map(|part| part.trim_end_matches("()")).collect();
    parts.windows(2).enumerate().any(|(at, pair)| {
        let [request, part] = pair else { return false };
        is_request(request, parts.get(at.wrapping_sub(1)).copied(), at, language)
            && (is_written(request, part, language)
                || *part == "URL" && at + 2 < parts.len()
                // Next's address: where it leads is known, what is asked for there is not.
                || *part == "nextUrl" && matches!(parts.get(at + 2), Some(&("searchParams" | "search")))
                || *part == "Request"
                    && parts.get(at + 2).is_some_and(|part| is_written("request", part, language)))
    })
}

fn is_request(name: &str, before: Option<&str>, at: usize, language: Language) -> bool {
    let short = matches!(name, "r" | "c" | "ctx" | "res" | "event" | "rq");
    let is_root = at == 0
        || matches!(
            before,
            Some("self" | "this" | "flask" | "bottle" | "ctx" | "c" | "info.context" | "context")
        );
    // Ktor's handlers have their call.
    if language == Language::Kotlin && name == "call" && at == 0 {
        return true;
    }
    let named = match language {
        Language::Java | Language::Kotlin => {
            let lower = name.to_ascii_lowercase();
            lower.ends_with("request") || lower.ends_with("req")
        }
        _ => REQUESTS.contains(&name),
    };
    let here = match name {
        "r" | "c" => language == Language::Go,
        "ctx" => language != Language::Python,
        "event" => matches!(language, Language::JavaScript | Language::TypeScript),
        "res" | "rq" => false,
        // In Python that is a requirement more often than a request.
        "req" => language != Language::Python,
        _ => true,
    };
    named && is_root && here && (!short || at == 0)
}

fn is_written(request: &str, part: &str, language: Language) -> bool {
    match (request, language) {
        ("c" | "ctx", Language::Go) if matches!(part, "QueryArgs" | "PostArgs" | "UserValue") => true,
        (_, Language::Java | Language::Kotlin) if WRITTEN_IN_JAVA.contains(&part) => true,
        ("c" | "ctx", _) => WRITTEN_OF_CONTEXT.contains(&part),
        ("call", _) => matches!(part, "parameters" | "receiveText" | "receiveParameters" | "receive"),
        (_, Language::Kotlin) if part == "queryParameters" => true,
        ("event", _) => matches!(part, "queryStringParameters" | "pathParameters" | "body" | "headers"),
        (_, Language::Python) if WRITTEN_IN_PYTHON.contains(&part) => true,
        // Hapi's body.
        (_, Language::JavaScript | Language::TypeScript) if part == "payload" => true,
        // Express reads a header with it; `request.get` may be a library that asks another server.
        ("req", Language::JavaScript | Language::TypeScript) if part == "get" => true,
        _ => WRITTEN.contains(&part),
    }
}

pub(super) fn is_harmless(whole: &str) -> bool {
    let whole = whole.trim_end_matches("()");
    let last = whole.rsplit('.').next().unwrap_or(whole);
    if HARMLESS.contains(&whole) || HARMLESS.contains(&last) && !matches!(last, "count" | "id" | "digest") {
        return true;
    }
    // What calculates gives numbers, whatever it is given.
    if whole.starts_with("Math.") {
        return true;
    }
    let lower = last.to_ascii_lowercase();
    !lower.starts_with("un") && HARMLESS_WORDS.iter().any(|word| lower.contains(word))
}

/// Whether a call makes a page of what it is given and leaves in it what is one already: markdown may hold markup.
pub(super) fn makes_page(whole: &str) -> bool {
    const MAKING: [&str; 6] =
        ["marked", "marked.marked", "marked.parse", "marked.marked.parse", "snarkdown", "markdown.markdown"];
    MAKING.contains(&whole) || whole.ends_with(".makeHtml")
}

/// Whether a call puts a path together, or works out the steps of one.
pub(super) fn makes_path(whole: &str) -> bool {
    matches!(whole, "path.join" | "path.resolve" | "path.normalize")
}

/// Whether a call gives the last part of a path: harmless below a folder, and what it was in a command.
pub(super) fn gives_base_name(whole: &str) -> bool {
    let whole = whole.trim_end_matches("()");
    let last = whole.rsplit('.').next().unwrap_or(whole);
    BASE_NAMES.contains(&whole)
        || BASE_NAMES.contains(&last)
        || whole.ends_with(".FilenameUtils.getName")
        || last.to_ascii_lowercase().contains("basename")
}

/// `placeholders(n)`, `make_placeholders(n)`: the marks of a query.
pub(super) fn makes_marks(whole: &str) -> bool {
    let lower = whole.rsplit('.').next().unwrap_or(whole).to_ascii_lowercase();
    const MAKING: [&str; 7] = ["make", "build", "generate", "create", "get", "sql", "in"];
    let Some(before) = ["placeholders", "placeholder"].iter().find_map(|word| lower.strip_suffix(word))
    else {
        return false;
    };
    let before = before.trim_matches('_');
    before.is_empty() || MAKING.contains(&before)
}

pub(super) fn is_textual(whole: &str) -> bool {
    let last = whole.rsplit('.').next().unwrap_or(whole);
    TEXTUAL.contains(&whole) || TEXTUAL.contains(&last)
}

/// Whether this is the name of a method of a text, and of no function that is given one.
pub(super) fn is_method_of_texts(whole: &str) -> bool {
    is_textual(whole) && !TEXTUAL.contains(&whole)
}

pub(super) fn is_converting(whole: &str) -> bool {
    // Java's packages may stand in front of its classes.
    let class = whole.rsplitn(3, '.').take(2).collect::<Vec<_>>();
    let method = class.iter().rev().copied().collect::<Vec<_>>().join(".");
    const DECODING: [&str; 4] = [
        "urllib.parse.unquote_plus",
        "base64.urlsafe_b64decode",
        "base64.urlsafe_b64encode",
        "base64.standard_b64decode",
    ];
    CONVERTING.contains(&whole) || CONVERTING.contains(&method.as_str()) || DECODING.contains(&whole)
}

pub(super) fn is_formatting(whole: &str) -> bool {
    FORMATTING.contains(&whole)
}

pub(super) fn is_filling(last: &str) -> bool {
    FILLING.contains(&last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frameworks_have_their_own_names_for_what_was_sent() {
        for (language, whole, sent) in [
            (Language::JavaScript, "request.payload.name", true),
            (Language::JavaScript, "request.nextUrl.searchParams.get()", true),
            (Language::JavaScript, "request.nextUrl.pathname", false),
            (Language::JavaScript, "req.file.originalname", true),
            (Language::JavaScript, "req.file.filename", false),
            (Language::JavaScript, "request.post()", false),
            (Language::Python, "request.post()", true),
            (Language::Python, "self.request.arguments", true),
            (Language::Python, "self.get_body_argument()", true),
        ] {
            assert_eq!(source(whole, language) == Some(Origin::Tainted), sent, "{whole}");
        }
    }

    #[test]
    fn the_path_of_a_request_leads_back_to_its_host() {
        assert_eq!(as_written(Origin::Tainted, "self.request.path").text, format!("/{OWN_HOLE}{HOLE}"));
        assert_eq!(as_written(Origin::Tainted, "request.args").text, HOLE.to_string());
    }
}
