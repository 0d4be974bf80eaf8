//! How C# and Kotlin ask a database: by what maps its tables to classes.

use crate::context::FileContext;
use crate::language::Language;
use crate::pattern::Pattern;
use crate::source::Source;
use crate::syntax::Node;

/// A table of a context of Entity Framework, and what fetches from it. Without a call at the end nothing is asked.
static ENTITIES: Pattern = Pattern::new(
    r"^(?:this\.)?(_?(?:db|database|dbContext|\w*DbContext|context|ctx|dataContext))\.[A-Z]\w*(?:\.(?:Where|Include|ThenInclude|AsNoTracking|AsQueryable|OrderBy|OrderByDescending|Select|Skip|Take|Distinct))*\.(?:First|FirstOrDefault|Single|SingleOrDefault|Find|Any|Count|LongCount|Sum|Max|Min|ToList|ToArray|Load)(?:Async)?$",
);
/// Dapper.
static DAPPER: Pattern = Pattern::new(
    r"^(?:this\.)?_?(?:conn|connection|db|database|\w+Connection)\.(?:Query|QueryFirst|QueryFirstOrDefault|QuerySingle|QuerySingleOrDefault|ExecuteScalar)(?:Async)?(?:<[^()]*>)?$",
);
/// Spring's template, and Exposed: tables that are objects.
static JDBC: Pattern =
    Pattern::new(r"(?:^|\.)\w*[jJ]dbc(?:Template|Client|Operations)?\.(?:query\w*|update|sql(?:\.\w+)*)$");
static EXPOSED: Pattern = Pattern::new(
    r"^[A-Z]\w*\.(?:select|selectAll)(?:\.(?:where|andWhere|map|first|firstOrNull|single|singleOrNull|toList|count|empty|limit))*$",
);

/// Whether a call of this path asks a database.
pub(super) fn is_query(file: &FileContext<'_>, path: &str) -> bool {
    let is = |pattern: &Pattern| pattern.regex().is_match(path.as_bytes());
    match file.language {
        Language::CSharp => is_of_entities(file, path) || is(&DAPPER),
        Language::Kotlin => is(&JDBC) || (is(&EXPOSED) && says(file, &[b"org.jetbrains.exposed"])),
        _ => false,
    }
}

/// What is called a context may be one of anything: of a request, of what is checked.
fn is_of_entities(file: &FileContext<'_>, path: &str) -> bool {
    let Some(groups) = ENTITIES.regex().captures(path.as_bytes()) else { return false };
    let owner = groups.get(1).map_or(&[][..], |owner| owner.as_bytes()).trim_ascii();
    let is_vague = [&b"context"[..], b"_context", b"ctx", b"_ctx"].contains(&owner);
    !is_vague || says(file, &[b"EntityFrameworkCore", b"DbContext", b"System.Data.Entity"])
}

fn says(file: &FileContext<'_>, words: &[&[u8]]) -> bool {
    let text = file.head().map(Source::text).unwrap_or_default();
    words.iter().any(|word| memchr::memmem::find(text, word).is_some())
}

/// What runs for each of many whatever it is called on; an `Optional` or a stream of messages has `map`, too.
const FOR_EACH: [&[u8]; 6] =
    [b"forEach", b"forEachIndexed", b"onEach", b"mapNotNull", b"associateWith", b"mapIndexed"];
static OF_MANY: Pattern = Pattern::new(r"(?:^|[\w)]\??\.)\w*(?:[^s]s|List|Set)\??\.(?:map|flatMap|filter)$");

/// The call that runs a lambda of Kotlin, or one of C#'s `ForEach`, for each of a list.
pub(super) fn call_for_each(lambda: Node<'_>) -> Option<Node<'_>> {
    match lambda.kind() {
        "lambda_literal" => {
            let call = lambda.parent().filter(|around| around.kind() == "annotated_lambda")?.parent()?;
            let callee = call.named_children().next().filter(|_| call.kind() == "call_expression")?.bytes();
            let name = callee.rsplit(|byte| *byte == b'.').next()?;
            (FOR_EACH.contains(&name) || OF_MANY.regex().is_match(callee)).then_some(call)
        }
        "lambda_expression" => {
            let argument = lambda.parent().filter(|around| around.kind() == "argument")?;
            let call = argument.parent()?.parent()?;
            call.call().filter(|made| made.callee().ends_with(b".ForEach")).map(|_| call)
        }
        _ => None,
    }
}
