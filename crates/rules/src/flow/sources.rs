//! Where hostile values come from, and what makes them harmless. By name: types are not known.

use super::Origin;
use crate::language::Language;

/// What frameworks of all four languages call the request.
const REQUESTS: [&str; 12] = [
    "request",
    "req",
    "r",
    "ctx",
    "c",
    "httpRequest",
    "servletRequest",
    "httpServletRequest",
    "event",
    "wsgi_request",
    "res",
    "rq",
];

/// Parts of a request that its sender writes.
const WRITTEN: [&str; 64] = [
    "args",
    "form",
    "values",
    "json",
    "data",
    "files",
    "cookies",
    "headers",
    "GET",
    "POST",
    "FILES",
    "META",
    "COOKIES",
    "body",
    "query_params",
    "query_string",
    "get_json",
    "params",
    "path",
    "full_path",
    "url",
    "query",
    "match_info",
    "stream",
    "path_params",
    "originalUrl",
    "param",
    "header",
    "hostname",
    "queryStringParameters",
    "pathParameters",
    "signedCookies",
    "searchParams",
    "rawBody",
    "getParameter",
    "getParameterValues",
    "getParameterMap",
    "getHeader",
    "getHeaders",
    "getQueryString",
    "getCookies",
    "getInputStream",
    "getReader",
    "getRequestURI",
    "getRequestURL",
    "getPathInfo",
    "getPart",
    "getParts",
    "FormValue",
    "PostFormValue",
    "Form",
    "PostForm",
    "Header",
    "Body",
    "Cookie",
    "RequestURI",
    "UserAgent",
    "Referer",
    "FormFile",
    "PathValue",
    "MultipartForm",
    "environ",
    "matchdict",
    "getCookie",
];

/// Of the small contexts that Go's and Koa's frameworks pass, and of a request's URL.
const WRITTEN_OF_CONTEXT: [&str; 22] = [
    "Query",
    "Param",
    "PostForm",
    "DefaultQuery",
    "DefaultPostForm",
    "QueryParam",
    "QueryParams",
    "FormValue",
    "GetHeader",
    "Cookie",
    "Params",
    "GetRawData",
    "Body",
    "BodyRaw",
    "FormParams",
    "query",
    "params",
    "cookies",
    "headers",
    "QueryArray",
    "GetQuery",
    "GetPostForm",
];

/// Sources that stand by themselves.
const ALONE: [&str; 16] = [
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
];

/// What whoever runs the program writes.
const LOCAL: [&str; 8] = [
    "input()",
    "raw_input()",
    "sys.argv",
    "sys.stdin",
    "process.argv",
    "os.Args",
    "flag.Arg()",
    "flag.Args()",
];

/// Where something of this whole name comes from, if from outside.
pub(super) fn source(whole: &str, language: Language) -> Option<Origin> {
    if is_source(whole, language) {
        Some(Origin::Tainted)
    } else {
        starts_with_one(whole, &LOCAL).then_some(Origin::Local)
    }
}

fn starts_with_one(whole: &str, names: &[&str]) -> bool {
    let goes_on = |rest: &str| rest.is_empty() || rest.starts_with(['.', '(']);
    names.iter().any(|name| whole.strip_prefix(*name).is_some_and(goes_on))
}

/// Whether something of this whole name is written by an attacker.
fn is_source(whole: &str, language: Language) -> bool {
    if starts_with_one(whole, &ALONE) {
        return true;
    }
    let parts: Vec<&str> = whole.split('.').map(|part| part.trim_end_matches("()")).collect();
    parts.windows(2).enumerate().any(|(at, pair)| {
        let [request, part] = pair else { return false };
        is_request(request, parts.get(at.wrapping_sub(1)).copied(), at, language)
            && (is_written(request, part, language)
                || *part == "URL" && at + 2 < parts.len()
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
    let named = match language {
        Language::Java => {
            let lower = name.to_ascii_lowercase();
            lower.ends_with("request") || lower == "req"
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
        ("c" | "ctx", _) => WRITTEN_OF_CONTEXT.contains(&part),
        ("event", _) => matches!(part, "queryStringParameters" | "pathParameters" | "body" | "headers"),
        (_, Language::Python) if part == "path" => true,
        _ => WRITTEN.contains(&part),
    }
}

/// Words in the names of functions after which a value can do no harm.
const HARMLESS_WORDS: [&str; 16] = [
    "escape",
    "sanitiz",
    "sanitis",
    "quote",
    "purify",
    "htmlencode",
    "encodefor",
    "urlencode",
    "encodeuri",
    "basename",
    "secure_filename",
    "parseint",
    "parsefloat",
    "parselong",
    "parsedouble",
    "bleach",
];

/// Functions whose results are numbers, digests or otherwise not what was put in.
const HARMLESS: [&str; 46] = [
    "int",
    "float",
    "bool",
    "len",
    "abs",
    "round",
    "ord",
    "hash",
    "id",
    "isinstance",
    "Number",
    "Boolean",
    "BigInt",
    "strconv.Atoi",
    "strconv.ParseInt",
    "strconv.ParseFloat",
    "strconv.ParseBool",
    "strconv.ParseUint",
    "strconv.Itoa",
    "strconv.FormatInt",
    "path/filepath.Base",
    "path.Base",
    "Integer.valueOf",
    "Long.valueOf",
    "UUID.fromString",
    "uuid.UUID",
    "uuid.uuid4",
    "hexdigest",
    "digest",
    "isdigit",
    "length",
    "size",
    "indexOf",
    "hashCode",
    "equals",
    "Decimal",
    "decimal.Decimal",
    "datetime.datetime.now",
    "time.time",
    "Date.now",
    "toFixed",
    "uuid.Parse",
    "github.com/google/uuid.Parse",
    "valueAsNumber",
    "count",
    "strconv.Quote",
];

pub(super) fn is_harmless(whole: &str) -> bool {
    let whole = whole.trim_end_matches("()");
    let last = whole.rsplit('.').next().unwrap_or(whole);
    if HARMLESS.contains(&whole) || HARMLESS.contains(&last) && !matches!(last, "count" | "id" | "digest") {
        return true;
    }
    let lower = last.to_ascii_lowercase();
    !lower.starts_with("un") && HARMLESS_WORDS.iter().any(|word| lower.contains(word))
}

/// Methods of texts that give back much the same text.
const TEXTUAL: [&str; 46] = [
    "strip",
    "lstrip",
    "rstrip",
    "lower",
    "upper",
    "title",
    "encode",
    "decode",
    "replace",
    "split",
    "rsplit",
    "splitlines",
    "trim",
    "trimStart",
    "trimEnd",
    "toLowerCase",
    "toUpperCase",
    "toString",
    "substring",
    "substr",
    "slice",
    "getBytes",
    "intern",
    "String",
    "str",
    "repr",
    "copy",
    "get",
    "pop",
    "getlist",
    "join",
    "items",
    "values",
    "keys",
    "toArray",
    "padStart",
    "padEnd",
    "normalize",
    "expandtabs",
    "casefold",
    "first",
    "strings.TrimSpace",
    "strings.ToLower",
    "strings.ToUpper",
    "strings.Replace",
    "strings.ReplaceAll",
];

pub(super) fn is_textual(whole: &str) -> bool {
    let last = whole.rsplit('.').next().unwrap_or(whole);
    TEXTUAL.contains(&whole) || TEXTUAL.contains(&last)
}

/// Functions that hand on what they are given in another form.
const CONVERTING: [&str; 54] = [
    "URLDecoder.decode",
    "URLDecoder.decode()",
    "Base64.decodeBase64",
    "Base64.encodeBase64",
    "Base64.decode",
    "StringUtils.trim",
    "Arrays.asList",
    "List.of",
    "Objects.requireNonNull",
    "Objects.toString",
    "json.loads",
    "json.dumps",
    "JSON.parse",
    "JSON.stringify",
    "urllib.parse.unquote",
    "urllib.parse.urlparse",
    "base64.b64decode",
    "base64.b64encode",
    "atob",
    "btoa",
    "decodeURIComponent",
    "decodeURI",
    "unescape",
    "list",
    "dict",
    "set",
    "tuple",
    "sorted",
    "next",
    "iter",
    "map",
    "filter",
    "str",
    "repr",
    "String",
    "Buffer.from",
    "URLSearchParams",
    "URL",
    "path.join",
    "path.resolve",
    "os.path.join",
    "os.path.abspath",
    "os.path.normpath",
    "pathlib.Path",
    "path/filepath.Join",
    "path/filepath.Clean",
    "path.Join",
    "File",
    "Paths.get",
    "Path.of",
    "io.ReadAll",
    "io/ioutil.ReadAll",
    "String.valueOf",
    "bytes",
];

pub(super) fn is_converting(whole: &str) -> bool {
    // Java's packages may stand in front of its classes.
    let class = whole.rsplitn(3, '.').take(2).collect::<Vec<_>>();
    let method = class.iter().rev().copied().collect::<Vec<_>>().join(".");
    CONVERTING.contains(&whole) || CONVERTING.contains(&method.as_str())
}

/// Functions that put a text together from a format and values.
const FORMATTING: [&str; 14] = [
    "fmt.Sprintf",
    "fmt.Sprint",
    "fmt.Sprintln",
    "fmt.Errorf",
    "String.format",
    "MessageFormat.format",
    "util.format",
    "String.join",
    "strings.Join",
    "String.concat",
    "string.Template",
    "textwrap.dedent",
    "format",
    "vsprintf",
];

/// Methods of a text that put values into it or behind it.
const FILLING: [&str; 9] = [
    "format",
    "format_map",
    "formatted",
    "concat",
    "append",
    "substitute",
    "safe_substitute",
    "join",
    "repeat",
];

pub(super) fn is_formatting(whole: &str) -> bool {
    FORMATTING.contains(&whole)
}

pub(super) fn is_filling(last: &str) -> bool {
    FILLING.contains(&last)
}
