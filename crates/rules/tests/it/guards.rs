//! Values that were checked before they were used, as people write it, each beside what lacks the check.

use crate::support::Scenario;

/// The file, what stands before the check, the check, and what stands behind it.
const CHECKED: &[(&str, &str, &str, &str)] = &[
    (
        "src/a.py",
        "@app.route('/f')\ndef fetch():\n    link = request.args['link']\n",
        "    parts = urlparse(link)\n    if parts.hostname not in ALLOWED:\n        abort(400)\n",
        "    return requests.get(link, timeout=5).text\n",
    ),
    (
        "src/a.js",
        "app.get('/f', async (req, res) => {\n  const link = req.query.link;\n",
        "  const parts = new URL(link);\n  if (!HOSTS.includes(parts.hostname)) return res.sendStatus(400);\n",
        "  const r = await fetch(link, { signal: AbortSignal.timeout(5000) });\n  res.json(await r.json());\n});\n",
    ),
    (
        "src/a.go",
        "package a\n\nimport (\n\t\"net/http\"\n\t\"net/url\"\n)\n\nfunc get(w http.ResponseWriter, r *http.Request) {\n\tu, err := url.Parse(r.FormValue(\"u\"))\n\tif err != nil {\n\t\treturn\n\t}\n",
        "\tif u.Host != \"a.example.com\" {\n\t\treturn\n\t}\n",
        "\thttp.Get(u.String())\n}\n",
    ),
    (
        "src/a.go",
        "package a\n\nimport (\n\t\"net/http\"\n\t\"net/url\"\n)\n\nfunc get(w http.ResponseWriter, r *http.Request) {\n\tu, err := url.Parse(r.FormValue(\"u\"))\n\tif err != nil {\n\t\treturn\n\t}\n",
        "\tif !allowed[u.Hostname()] {\n\t\treturn\n\t}\n",
        "\thttp.Get(u.String())\n}\n",
    ),
    (
        "src/a.js",
        "app.get('/l', async (req, res) => {\n",
        "  if (!COLUMNS.includes(req.query.sort)) return res.sendStatus(400);\n",
        "  res.json(await db.query(`SELECT * FROM items ORDER BY ${req.query.sort}`));\n});\n",
    ),
    (
        "src/a.go",
        "package a\n\nimport (\n\t\"database/sql\"\n\t\"net/http\"\n\t\"strconv\"\n)\n\nfunc item(w http.ResponseWriter, r *http.Request) {\n\tid := r.URL.Query().Get(\"id\")\n",
        "\tif _, err := strconv.Atoi(id); err != nil {\n\t\treturn\n\t}\n",
        "\tdb.Query(\"SELECT * FROM items WHERE id = \" + id)\n}\n",
    ),
    (
        "src/A.java",
        "class A extends HttpServlet {\n    void doGet(HttpServletRequest req, HttpServletResponse res) {\n        String sort = req.getParameter(\"sort\");\n",
        "        if (!\"name\".equals(sort) && !\"price\".equals(sort)) {\n            sort = \"name\";\n        }\n",
        "        statement.executeQuery(\"SELECT * FROM items ORDER BY \" + sort);\n    }\n}\n",
    ),
];

fn security(path: &str, text: &str) -> Vec<String> {
    let findings = Scenario::adding(path, text).review().findings;
    let found = findings.iter().filter(|one| one.rule.contains("injection") || one.rule.contains("forgery"));
    found.map(|one| one.rule.clone()).collect()
}

#[test]
fn what_was_checked_is_silent_and_what_was_not_is_told() {
    for (path, before, check, behind) in CHECKED {
        assert_eq!(security(path, &format!("{before}{behind}")).len(), 1, "{path}: {before}{behind}");
        assert_eq!(
            security(path, &format!("{before}{check}{behind}")),
            [""; 0],
            "{path}: {before}{check}{behind}"
        );
    }
}

#[test]
fn a_branch_without_braces_is_one_all_the_same() {
    let java = "class A extends HttpServlet {\n    void doGet(HttpServletRequest req, HttpServletResponse res) {\n        \
                String sort = req.getParameter(\"sort\");\n        if (page > 3) sort = \"name\";\n        \
                statement.executeQuery(\"SELECT * FROM items ORDER BY \" + sort);\n    }\n}\n";
    assert_eq!(security("src/A.java", java).len(), 1);
    let script = "app.get('/l', async (req, res) => {\n  let sort = req.query.sort;\n  if (page > 3) sort = 'name';\n  \
                  else sort = req.query.other;\n  res.json(await db.query(`SELECT * FROM a ORDER BY ${sort}`));\n});\n";
    assert_eq!(security("src/a.js", script).len(), 1);
    assert_eq!(
        security("src/a.js", &script.replace("else sort = req.query.other;", "sort = 'age';")),
        [""; 0]
    );
}

#[test]
fn a_choice_between_what_is_listed_and_a_constant_is_fine() {
    let text = "app.get('/l', async (req, res) => {\n  \
                const sort = COLUMNS.includes(req.query.sort) ? req.query.sort : 'name';\n  \
                res.json(await db.query(`SELECT * FROM a ORDER BY ${sort}`));\n});\n";
    assert_eq!(security("src/a.js", text), [""; 0]);
    assert_eq!(security("src/a.js", &text.replace("includes(req.query.sort)", "includes(x)")).len(), 1);
}

#[test]
fn a_host_that_goes_on_is_another_one() {
    let text = "app.get('/i', async (req, res) => {\n  \
                if (!req.query.u.startsWith('https://cdn.example.com/')) return res.sendStatus(400);\n  \
                res.json(await fetch(req.query.u, { signal: AbortSignal.timeout(3000) }));\n});\n";
    assert_eq!(security("src/a.js", text), [""; 0]);
    assert_eq!(security("src/a.js", &text.replace(".com/'", ".com'")).len(), 1);
}

#[test]
fn the_smaller_of_two_numbers_is_a_number() {
    let text = "def f():\n    limit = min(int(request.args.get('limit', 10)), 100)\n    \
                db.execute(f'SELECT * FROM items LIMIT {limit}')\n";
    assert_eq!(security("src/a.py", text), [""; 0]);
    assert_eq!(security("src/a.py", &text.replace("int(", "str(")).len(), 1);
}

/// They look like checks and let through what they should not.
#[test]
fn a_check_of_something_else_proves_nothing() {
    for (path, before, check, behind) in CHECKED {
        let other = match path.rsplit('.').next() {
            Some("py") => check.replace("urlparse(link)", "urlparse(other)"),
            Some("js") => {
                check.replace("new URL(link)", "new URL(other)").replace("req.query.sort", "req.query.page")
            }
            Some("go") => check.replace("u.Host", "v.Host").replace("Atoi(id)", "Atoi(page)"),
            _ => check.replace("equals(sort)", "equals(order)"),
        };
        assert_eq!(
            security(path, &format!("{before}{other}{behind}")).len(),
            1,
            "{path}: {before}{other}{behind}"
        );
    }
}
