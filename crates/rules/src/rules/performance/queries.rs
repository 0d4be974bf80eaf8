use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::{asks_through, http_clients, is_function, mapped, new_calls, path_of};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{Node, Notion};

static INFO: RuleInfo = RuleInfo {
    id: text("query-in-loop"),
    title: text("A query or request for each turn of a loop: MEDIUM for queries, LOW for requests"),
    why: text("A thousand entries take a thousand round trips"),
    fix: text("Ask once for all of them, before the loop"),
    severity: Severity::Medium,
    category: Category::Performance,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Go,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::Php,
        Language::Ruby,
        Language::Rust,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("a.py", "for id in ids:\n    user = User.objects.get(pk=id)\n", &[2]),
        Example::good("a.py", "for user in User.objects.filter(pk__in=ids):\n    greet(user)\n"),
        Example::bad("a.py", "users = [User.objects.get(pk=id) for id in ids]\n", &[1]),
        Example::good("a.py", "names = [user.name for user in User.objects.filter(pk__in=ids)]\n"),
        Example::bad(
            "a.ts",
            "await Promise.all(ids.map(async (id) => prisma.user.findUnique({ where: { id } })));\n",
            &[1],
        ),
        Example::bad(
            "a.js",
            "for (const id of ids) {\n  rows.push(await knex('users').where({ id }).first());\n}\n",
            &[2],
        ),
        Example::good(
            "a.ts",
            "const users = await prisma.user.findMany({ where: { id: { in: ids.map((id) => id) } } });\n",
        ),
        Example::good("a.js", "batches.map(async (batch) => db.query(statement, [batch]));\n"),
    ]),
};

static QUERIES: Pattern = Pattern::new(
    r"(?:^|\.)objects\.(?:get|filter|create|get_or_create|update_or_create|exclude|all|count|first)$|(?:^|\.)(?:cursor|cur|conn|connection|db|database|session|tx|pool|pdo|mysqli|stmt|knex|sequelize|entityManager|em)\.(?:execute|query|queryRow|QueryRow|Query|QueryContext|QueryRowContext|Exec|ExecContext|Get|Select|scalar|scalars|findOne|find|createQuery|exec|fetch_one|fetchOne|fetchrow|fetch)$|(?:^|\.)(?:knex|trx)(?:\.\w+)*\.(?:first|select|insert|update|del|delete|pluck)$|^prisma\.\w+\.(?:find|create|update|delete|count|upsert)\w*$|\.(?:findById|findOne|findUnique|findByPk|findOneBy|executeQuery|executeUpdate|find_by|find_by_id|find_or_create_by)$|(?i)\w*(?:repository|dao)\.(?:find|get|load|save|exists|count)\w*$|^DB\.(?:table|select|insert|update|statement)$|^mysqli_query$|^pg_query$|\.fetch_(?:one|all|optional)$|(?:^|\.)(?:client|conn|connection|db|tx|transaction)\.(?:query_one|query_opt|query_row|execute|query)$",
);

/// Models of Rails, which have the names of classes. What the language has itself looks at no database.
static MODELS: Pattern =
    Pattern::new(r"^[A-Z]\w*(?:\.[A-Z]\w*)*\.(?:find|find_by!|find_sole_by|where|exists\?)$");
static NO_MODELS: Pattern = Pattern::new(
    r"^(?:File|Dir|Find|Pathname|FileTest|Gem|Rails|ENV|Process|Etc|Encoding|I18n|\w*(?:Registry|Cache|Config))\b",
);

static REQUESTS: Pattern = Pattern::new(
    r"^(?:requests|httpx)\.(?:get|post|put|patch|delete|head|request)$|(?:^|\.)urlopen$|^fetch$|^axios(?:\.(?:get|post|put|patch|delete|request))?$|^http\.(?:Get|Post|Head|PostForm)$|^restTemplate\.\w+$|(?i)(?:^|\.)_?\w*http_?client\.(?:get|post|put|patch|delete|send)\w*$|^curl_exec$|^Net\.HTTP\.(?:get|post|start)\w*$|^(?:HTTParty|Faraday|RestClient)\.(?:get|post|put|delete)$",
);

/// Loops that ask again because they have to.
static ON_PURPOSE: Pattern = Pattern::new(
    r"(?i)retr|attempt|\btries\b|page|chunk|batch|slice|cursor|migrat|statement|quer(?:y|ies)\b|sql|ddl|seed|poll",
);

pub(crate) struct QueryInLoop;

impl FileRule for QueryInLoop {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"objects.",
                b"execute",
                b"query",
                b".get",
                b".Get(",
                b".Do(",
                b".Post",
                b".Head(",
                b".find",
                b"fetch",
                b"axios",
                b"urlopen",
                b"requests.",
                b"prisma",
                b"repository",
                b"dao",
                b"DB::",
                b"http",
                b"curl_exec",
                b"restTemplate",
                b".Exec",
                b".Select",
                b"scalar",
                b"createQuery",
                b"Faraday",
                b"RestClient",
                b"for ",
                b"for(",
                b"foreach",
                b".each",
                b".where",
                b".exists?",
                b".First",
                b".Single",
                b".Find(",
                b".Any",
                b".Count",
                b".To",
                b".Load",
                b".Query",
                b"jdbc",
                b".select",
                b".forEach",
            ],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        let mut reported = 0;
        let clients = http_clients(file);
        for call in new_calls(file, tree) {
            let path = path_of(&call);
            let is_model = file.language == Language::Ruby
                && MODELS.regex().is_match(path.as_bytes())
                && !NO_MODELS.regex().is_match(path.as_bytes());
            let is_query =
                is_model || QUERIES.regex().is_match(path.as_bytes()) || mapped::is_query(file, &path);
            let is_request = REQUESTS.regex().is_match(path.as_bytes()) || asks_through(&path, &clients);
            // A client of HTTP asks no database, whatever its methods are called.
            let is_query = is_query && !asks_through(&path, &clients);
            let line = call.node.line();
            if !(is_query || is_request) || line == reported || !is_repeated(call.node) {
                continue;
            }
            reported = line;
            let draft =
                Draft::lines(head, line, line, format!("`{path}` is called for each turn of the loop"));
            report.add(match is_query {
                true => draft,
                false => draft.severity(Severity::Low).confidence(Confidence::Low),
            });
        }
    }
}

/// Whether it runs for each entry of something.
fn is_repeated(node: Node<'_>) -> bool {
    let mut inner = node;
    for around in node.ancestors() {
        if is_over_entries(around) && is_in_body(around, inner) {
            let header = header(around, inner);
            return !ON_PURPOSE.regex().is_match(header);
        }
        if is_comprehension(around) && inner.field() == "body" {
            return !ON_PURPOSE.regex().is_match(around.bytes());
        }
        if let Some(call) = call_for_each(around).or_else(|| mapped::call_for_each(around)) {
            return !ON_PURPOSE.regex().is_match(header(call, around));
        }
        if is_each(around) {
            return !ON_PURPOSE
                .regex()
                .is_match(around.parent().map(|call| header(call, around)).unwrap_or_default());
        }
        if is_function(around) {
            return false;
        }
        inner = around;
    }
    false
}

/// A loop over a collection; those with a condition wait for something, or ask page by page.
fn is_over_entries(node: Node<'_>) -> bool {
    match node.kind() {
        "for_in_statement" | "enhanced_for_statement" | "foreach_statement" | "for" | "for_expression" => {
            node.is_named()
        }
        "for_statement" => match node.tree().table().language() {
            Language::Python | Language::Kotlin => true,
            Language::Go => node.child_of(&["range_clause"]).is_some(),
            _ => false,
        },
        _ => false,
    }
}

fn is_in_body(around: Node<'_>, inner: Node<'_>) -> bool {
    around == inner.parent().unwrap_or(around) && (inner.field() == "body" || inner.is(Notion::Block))
}

/// `[find(id) for id in ids]`
fn is_comprehension(node: Node<'_>) -> bool {
    node.is_kind(&["list_comprehension", "set_comprehension", "generator_expression"])
}

/// The call that runs a function of JavaScript for each of a list: `ids.map(async (id) => …)`.
fn call_for_each(function: Node<'_>) -> Option<Node<'_>> {
    const CALLED: [&[u8]; 4] = [b".map", b".forEach", b".flatMap", b".filter"];
    let is_passed = function.is_kind(&["arrow_function", "function_expression"]);
    let around = function.parent().filter(|around| is_passed && around.kind() == "arguments")?;
    let call = around.parent()?;
    let runs = |callee: &[u8]| CALLED.iter().any(|method| callee.ends_with(method));
    call.call().filter(|made| runs(made.callee())).map(|_| call)
}

/// A block of Ruby that is given to `each`.
fn is_each(node: Node<'_>) -> bool {
    let call = node.parent().filter(|_| node.is_kind(&["do_block", "block"]) && node.is(Notion::Lambda));
    call.and_then(|call| call.child("method")).is_some_and(|method| {
        [&b"each"[..], b"map", b"each_with_index", b"flat_map", b"each_with_object"].contains(&method.bytes())
    })
}

/// What stands in front of the body, as far as people write it.
fn header<'t>(around: Node<'t>, body: Node<'t>) -> &'t [u8] {
    const LONGEST: usize = 500;
    let text = around.bytes();
    &text[..body.range().start.saturating_sub(around.range().start).min(text.len()).min(LONGEST)]
}
