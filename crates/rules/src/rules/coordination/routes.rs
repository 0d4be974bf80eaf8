//! Addresses that programs of others call.

use std::collections::{HashMap, HashSet};

use super::chains;
use super::lost::{Line, Loss, Lost, Proof, Sort};
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::mask::Kind;
use crate::pattern::Pattern;
use crate::source::Source;

/// A way to say which address a function answers: the method, if it is said there, and the path.
struct Way {
    languages: &'static [Language],
    pattern: Pattern,
    names: Names,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// One address.
    Route,
    /// What many addresses begin with.
    Prefix,
    /// Something that has the usual addresses below its name.
    Resource,
    /// One address whose methods stand behind it.
    Chained,
}

const fn way(languages: &'static [Language], pattern: &'static str) -> Way {
    Way { languages, pattern: Pattern::new(pattern), names: Names::Route }
}

const fn prefix(languages: &'static [Language], pattern: &'static str) -> Way {
    Way { languages, pattern: Pattern::new(pattern), names: Names::Prefix }
}

const fn chained(languages: &'static [Language], pattern: &'static str) -> Way {
    Way { languages, pattern: Pattern::new(pattern), names: Names::Chained }
}

static WAYS: [Way; 34] = [
    way(
        &[Language::Python],
        r#"@[A-Za-z_][\w.]*\.(?<m>route|get|post|put|patch|delete|head|websocket|api_route)\(\s*["'](?<p>[^"'\n]*)["'](?:[^()\n]*methods\s*=\s*[\[({](?<l>[^\])}\n]*))?"#,
    ),
    way(&[Language::Python], r#"(?m)^[ \t]*(?:re_path|path|url)(?<m>)\(\s*r?["'](?<p>[^"'\n]*)["']\s*,"#),
    way(
        &[Language::JavaScript, Language::TypeScript],
        r#"\b(?:app|server|api|fastify|[A-Za-z_]*[rR]outer?)\.(?<m>get|post|put|patch|delete|del|all)\(\s*["'`](?<p>/[^"'`\n]*)["'`]\s*,"#,
    ),
    way(
        &[Language::JavaScript, Language::TypeScript],
        r#"\.route(?<m>)\(\s*\{[^{}]{0,400}?\burl\s*:\s*["'`](?<p>/[^"'`\n]*)["'`]"#,
    ),
    chained(
        &[Language::JavaScript, Language::TypeScript],
        r#"\b(?:app|server|api|[A-Za-z_]*[rR]outer?)\.route\(\s*["'`](?<p>/[^"'`\n]*)["'`]\s*\)"#,
    ),
    way(&[Language::Python], r#"\.add_(?<m>get|post|put|patch|delete|head)\(\s*["'](?<p>/[^"'\n]*)["']\s*,"#),
    way(&[Language::Python], r#"\bweb\.(?<m>get|post|put|patch|delete)\(\s*["'](?<p>/[^"'\n]*)["']\s*,"#),
    way(&[Language::Python], r#"\.add_(?:url_rule|api_route)(?<m>)\(\s*["'](?<p>/[^"'\n]*)["']"#),
    way(
        &[Language::Python],
        r#"\b\w*[rR]outer\.register(?<m>)\(\s*(?:prefix\s*=\s*)?r?["'](?<p>[^"'\n]+)["']\s*,"#,
    ),
    way(
        &[Language::TypeScript, Language::JavaScript, Language::Java, Language::Kotlin],
        r#"@(?<m>Get|Post|Put|Patch|Delete)\(\s*["'`](?<p>[^"'`\n]*)["'`]\s*\)"#,
    ),
    way(
        &[Language::Java, Language::Kotlin],
        r#"@(?<m>Get|Post|Put|Patch|Delete|Request)Mapping\(\s*(?:(?:value|path)\s*=\s*)?[\[{]?\s*"(?<p>[^"\n]*)""#,
    ),
    way(&[Language::Kotlin], r#"(?m)^[ \t]*(?<m>get|post|put|patch|delete)\(\s*"(?<p>/[^"\n]*)"\s*\)\s*\{"#),
    way(&[Language::Java, Language::Kotlin], r#"@Path(?<m>)\(\s*"(?<p>[^"\n]*)""#),
    way(&[Language::CSharp], r#"(?:\[Http|\.Map)(?<m>Get|Post|Put|Patch|Delete)\(\s*"(?<p>[^"\n]*)""#),
    way(
        &[Language::Go],
        r#"\.(?<m>GET|POST|PUT|PATCH|DELETE|Get|Post|Put|Patch|Delete|HandleFunc|Handle)\(\s*"(?<p>(?:[A-Z]+ )?/[^"\n]*)"\s*,"#,
    ),
    chained(&[Language::Rust], r#"\.route\(\s*"(?<p>/[^"\n]*)"\s*,"#),
    way(&[Language::Rust], r#"\bresource(?<m>)\(\s*"(?<p>/[^"\n]*)"\s*\)"#),
    way(&[Language::Rust], r#"#\[(?<m>get|post|put|patch|delete)\(\s*"(?<p>/[^"\n]*)""#),
    way(
        &[Language::Php, Language::Ruby],
        r#"(?m)^[ \t]*(?:Route::)?(?<m>get|post|put|patch|delete)[( ]\s*["'](?<p>/[^"'\n]*)["']\s*(?:,|=>|\)?\s*(?:do\b|\{))"#,
    ),
    way(
        &[Language::Php],
        r#"\$(?:app|router|routes?|group|api|r)->(?<m>get|post|put|patch|delete|any)\(\s*["'](?<p>/[^"'\n]*)["']\s*,"#,
    ),
    way(&[Language::Php], r#"#\[Route(?<m>)\(\s*(?:path:\s*)?["'](?<p>/[^"'\n]*)["']"#),
    way(
        &[Language::Ruby],
        r#"(?m)^[ \t]*(?<m>get|post|put|patch|delete)[( ]\s*["'](?<p>[\w:.*-][^"'\n]*)["']\s*(?:,\s*to:|=>)"#,
    ),
    way(
        &[Language::Swift],
        r#"\b(?:app|[rR]outes?|router|grouped|api|[A-Za-z_]*Routes)\.(?<m>get|post|put|patch|delete)\(\s*(?<p>"[^)\n]*")"#,
    ),
    way(&[Language::Cpp], r#"\bCROW_ROUTE(?<m>)\(\s*\w+\s*,\s*"(?<p>/[^"\n]*)""#),
    prefix(&[Language::CSharp], r#"\[Route\(\s*"(?<p>[^"\n]+)""#),
    prefix(&[Language::CSharp], r#"\.MapGroup\(\s*"(?<p>/?[^"\n]+)""#),
    prefix(&[Language::Kotlin], r#"(?m)^[ \t]*route\(\s*"(?<p>/[^"\n]+)"\s*\)\s*\{"#),
    prefix(
        &[Language::Python],
        r#"\b(?:Blueprint|APIRouter|APIBlueprint|register_blueprint|include_router|register_router)\([^()\n]*(?:\n[^()\n]*){0,8}?\b(?:url_)?prefix\s*=\s*["'](?<p>/[^"'\n]+)["']"#,
    ),
    prefix(
        &[Language::JavaScript, Language::TypeScript],
        r#"\b(?:app|server|api|[A-Za-z_]*[rR]outer?)\.use\(\s*["'`](?<p>/[^"'`$\n]+)["'`]\s*,\s*[\w.]*(?:[rR]oute|[aA]pi\b|[cC]ontroller|require\()"#,
    ),
    prefix(
        &[Language::TypeScript, Language::JavaScript],
        r#"@Controller\(\s*["'`](?<p>[^"'`$\n]+)["'`]\s*\)"#,
    ),
    prefix(&[Language::Go], r#"\.(?:Group|PathPrefix|Mount)\(\s*"(?<p>/[^"\n]+)"\s*[,)]"#),
    prefix(&[Language::Rust], r#"(?:\.nest|\bscope)\(\s*"(?<p>/[^"\n]+)""#),
    prefix(&[Language::Php], r#"(?:Route::|->)prefix\(\s*["'](?<p>[^"'\n]+)["']\s*\)"#),
    Way {
        languages: &[Language::Ruby],
        pattern: Pattern::new(r"(?m)^[ \t]*resources?[( ]\s*:(?<p>\w+)"),
        names: Names::Resource,
    },
];

/// Behind a prefix: every address that begins with it.
const BELOW: &str = "/*";

/// Behind a resource: itself, and the usual addresses below it.
const USUAL: &str = "/**";

/// Every address that the files of the change answered before, and none of them does now.
pub(super) fn losses<'f>(change: &'f ChangeContext<'f>) -> Vec<Lost<'f>> {
    let code: Vec<&FileContext<'_>> = change
        .files
        .iter()
        .filter(|file| file.skipped.is_none() && !file.is_test_file() && may_answer(file))
        .collect();
    let routes_of = |file: &FileContext<'_>, side: Option<&Source>| {
        side.map(|source| routes(file, source)).unwrap_or_default().into_keys()
    };
    let before: HashSet<(String, String)> =
        code.iter().flat_map(|file| routes_of(file, file.base())).collect();
    let now: HashSet<(String, String)> = code.iter().flat_map(|file| routes_of(file, file.head())).collect();
    let new: Vec<&str> = now.difference(&before).map(|(_, path)| path.as_str()).collect();
    let mut lost = Vec::new();
    for file in code {
        let Some(base) = file.base() else { continue };
        let was = routes(file, base);
        let is = file.head().map(|head| routes(file, head)).unwrap_or_default();
        let has_new_prefix = is.keys().any(|route| route.1.ends_with(BELOW) && !was.contains_key(route));
        let mut gone: Vec<((String, String), u32)> =
            was.into_iter().filter(|(route, _)| !now.contains(route) && !route.1.ends_with(USUAL)).collect();
        gone.sort_by_key(|(_, line)| *line);
        let renamed = |method: &str, path: &str| {
            now.iter().any(|(by, other)| {
                let open = by.is_empty() || method.is_empty() || by == method;
                open && (other.ends_with(path) || path.ends_with(other.as_str()))
            })
        };
        let proof = |method: &str, path: &str| match () {
            // With another prefix it may be the same address, put together elsewhere; and so it may without one.
            () if renamed(method, path) || new.iter().any(|other| takes_in(other, path)) => Proof::Slight,
            () if path.ends_with(BELOW) && !has_new_prefix => Proof::Slight,
            () => Proof::Certain,
        };
        lost.extend(gone.into_iter().map(|((method, path), line)| Lost {
            file,
            sort: Sort::Route,
            proof: proof(&method, &path),
            name: [method, path].join(" ").trim().to_owned(),
            container: String::new(),
            has_receiver: false,
            arity: None,
            deprecated: false,
            own: false,
            enclosed: false,
            loss: Loss::Gone,
            line: Line::Old(line),
        }));
    }
    lost
}

/// Whether a group stands for the address itself, which is then written as nothing, or a resource for those below it.
fn takes_in(group: &str, path: &str) -> bool {
    let path = path.trim_matches('/');
    match (group.strip_suffix(BELOW), group.strip_suffix(USUAL)) {
        (Some(prefix), _) => prefix.trim_matches('/') == path,
        (_, Some(name)) => {
            path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        }
        _ => false,
    }
}

/// By the lines that came or went: most files have no part in this.
fn may_answer(file: &FileContext<'_>) -> bool {
    const SIGNS: [&[u8]; 8] = [b"/", b"@", b"Http", b".Map", b"path(", b"url(", b"register(", b"to:"];
    const CALLS: [&[u8]; 6] = [b".get(", b".post(", b".put(", b".patch(", b".delete(", b".del("];
    let answers = WAYS.iter().any(|way| way.languages.contains(&file.language));
    let has =
        |line: &[u8], signs: &[&[u8]]| signs.iter().any(|sign| memchr::memmem::find(line, sign).is_some());
    let mut lines = file.change.removed().chain(file.change.added()).map(|(_, line)| line);
    answers
        && lines.any(|line| {
            (memchr::memchr2(b'"', b'\'', line).is_some() && has(line, &SIGNS)) || has(line, &CALLS)
        })
}

/// Method and path of each, with the line.
fn routes(file: &FileContext<'_>, source: &Source) -> HashMap<(String, String), u32> {
    let mut found = HashMap::new();
    for way in WAYS.iter().filter(|way| way.languages.contains(&file.language)) {
        for captures in way.pattern.regex().captures_iter(source.text()) {
            let (Some(whole), Some(path)) = (captures.get(0), captures.name("p")) else { continue };
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let method = captures.name("m").map(|method| text(method.as_bytes())).unwrap_or_default();
            let listed = captures.name("l").map(|list| text(list.as_bytes()).to_ascii_uppercase());
            let methods: Vec<String> = match (method.to_ascii_uppercase().as_str(), listed) {
                _ if way.names == Names::Chained => {
                    let behind = chains::methods(&source.text()[whole.end()..]);
                    if behind.is_empty() { vec![String::new()] } else { behind }
                }
                ("DEL", None) => vec!["DELETE".to_owned()],
                (_, Some(listed)) => listed
                    .split(',')
                    .map(|one| one.trim_matches(|c: char| !c.is_ascii_alphabetic()).to_owned())
                    .filter(|one| !one.is_empty())
                    .collect(),
                ("ROUTE", None) => vec!["GET".to_owned()],
                ("API_ROUTE" | "REQUEST" | "HANDLE" | "HANDLEFUNC" | "ALL", None) => vec![String::new()],
                (other, None) => vec![other.to_owned()],
            };
            let start =
                whole.start() + whole.as_bytes().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let line = source.line_of(path.start());
            if source.mask().kind(start) == Kind::Code && !source.in_test(line) {
                let path = text(path.as_bytes());
                let path = match way.names {
                    Names::Route | Names::Chained => path,
                    Names::Prefix => format!("{}{BELOW}", path.trim_end_matches('/')),
                    Names::Resource => format!("{path}{USUAL}"),
                };
                for method in methods {
                    found.entry((method, path.clone())).or_insert(line);
                }
            }
        }
    }
    found
}
