//! Queries that helpers of the same file put together: what those give is followed, and where it cannot be, nobody is blocked.

use domain::review::{Confidence, Finding};

use crate::support::Scenario;

/// The lines of queries that have to be mended, and of those that somebody should look at.
fn told(path: &str, text: &str) -> (Vec<u32>, Vec<u32>) {
    let findings = Scenario::adding(path, text).findings("sql-injection");
    let (must, may): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|finding| finding.confidence > Confidence::Low);
    let lines = |all: Vec<Finding>| all.iter().filter_map(Finding::line).collect();
    (lines(must), lines(may))
}

const NONE: (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());

const GO: &str = "package store\n\ntype Order int\n\ntype Filter struct{ Name string }\n\n";

#[test]
fn a_method_of_go_that_gives_constants_makes_a_clause() {
    let order = "func (o Order) clause() string {\n\tif o == 1 {\n\t\treturn \" ORDER BY name DESC\"\n\t}\n\treturn \" ORDER BY name\"\n}\n\n";
    let list = "func List(ctx context.Context, db *sql.DB, o Order) (*sql.Rows, error) {\n\treturn db.QueryContext(ctx, \"SELECT id FROM users\"+o.clause())\n}\n";
    assert_eq!(told("a.go", &format!("{GO}{order}{list}")), NONE);
    let with =
        "func (f Filter) where() (string, []any) {\n\treturn \" WHERE name = $1\", []any{f.Name}\n}\n\n";
    let find = "func Find(db *sql.DB, f Filter) (*sql.Rows, error) {\n\twhere, args := f.where()\n\treturn db.Query(\"SELECT id FROM users\"+where, args...)\n}\n";
    assert_eq!(told("a.go", &format!("{GO}{with}{find}")), NONE);
    // The same with the value in the text.
    let bad = with.replace("\" WHERE name = $1\"", "\" WHERE name = '\" + f.Name + \"'\"");
    assert_eq!(told("a.go", &format!("{GO}{bad}{find}")), (vec![13], vec![]));
}

#[test]
fn a_result_of_two_is_taken_apart() {
    let go = |clause: &str| {
        format!(
            "package a\nfunc where(name string) (string, []any) {{\n\tif name == \"\" {{\n\t\treturn \"\", nil\n\t}}\n\treturn {clause}, []any{{name}}\n}}\nfunc List(db *sql.DB, name string) {{\n\tclause, args := where(name)\n\tdb.Query(\"SELECT id FROM users\"+clause, args...)\n}}\n"
        )
    };
    assert_eq!(told("a.go", &go("\" WHERE name = $1\"")), NONE);
    assert_eq!(told("a.go", &go("\" WHERE name = '\" + name + \"'\"")), (vec![10], vec![]));
    let python = |clause: &str| {
        format!(
            "def _where(name):\n    if name is None:\n        return \"\", []\n    return {clause}, [name]\n\n\ndef search(db, name=None):\n    where, args = _where(name)\n    return db.execute(\"SELECT id FROM users\" + where, args).fetchall()\n"
        )
    };
    assert_eq!(told("a.py", &python("\" WHERE name = ?\"")), NONE);
    assert_eq!(told("a.py", &python("f\" WHERE name = '{name}'\"")), (vec![9], vec![]));
    assert_eq!(told("a.py", &python("\" ORDER BY \" + name")), (vec![9], vec![]));
    let script = |clause: &str| {
        format!(
            "function where(name) {{\n  return name ? {{ clause: {clause}, values: [name] }} : {{ clause: '', values: [] }};\n}}\nexport async function search(pool, name) {{\n  const {{ clause, values }} = where(name);\n  return (await pool.query(`SELECT id FROM users${{clause}}`, values)).rows;\n}}\n"
        )
    };
    for path in ["a.js", "a.ts"] {
        assert_eq!(told(path, &script("' WHERE name = $1'")), NONE, "{path}");
        assert_eq!(told(path, &script("`WHERE name = '${name}'`")), (vec![6], vec![]), "{path}");
    }
}

#[test]
fn a_method_of_the_own_class_is_followed() {
    let python = |order: &str| {
        format!(
            "class Users:\n    def _order(self, newest):\n        return {order}\n\n    def all(self, newest=False):\n        return self.db.execute(\"SELECT id FROM users\" + self._order(newest)).fetchall()\n"
        )
    };
    assert_eq!(told("a.py", &python("\" ORDER BY id DESC\" if newest else \" ORDER BY id\"")), NONE);
    assert_eq!(told("a.py", &python("\" ORDER BY \" + newest")), (vec![6], vec![]));
    let script = |order: &str| {
        format!(
            "export class Users {{\n  order(newest) {{\n    return {order};\n  }}\n  async all(newest = false) {{\n    return (await this.pool.query('SELECT id FROM users' + this.order(newest))).rows;\n  }}\n}}\n"
        )
    };
    for path in ["a.js", "a.ts"] {
        assert_eq!(told(path, &script("newest ? ' ORDER BY id DESC' : ' ORDER BY id'")), NONE, "{path}");
        assert_eq!(told(path, &script("' ORDER BY ' + newest")), (vec![6], vec![]), "{path}");
    }
}

#[test]
fn a_helper_that_is_not_seen_blocks_nobody() {
    for (path, text) in [
        ("a.py", "def find(db, name):\n    return db.execute(\"SELECT id FROM users\" + clause_for(name))\n"),
        ("a.js", "export const find = (db, f) =>\n  db.query('SELECT id FROM users ' + f.toClause());\n"),
        (
            "a.go",
            "package a\nfunc find(db *sql.DB, f *query.Filter) { db.Query(\"SELECT id FROM users \" + f.Clause()) }\n",
        ),
        ("a.rb", "def find(filter)\n  @db.execute(\"SELECT id FROM users #{clause_for(filter)}\")\nend\n"),
    ] {
        let (must, _) = told(path, text);
        assert!(must.is_empty(), "{path}: {must:?}");
    }
    // Where a value stands, no clause does.
    let text =
        "def find(db):\n    return db.execute(\"SELECT id FROM users WHERE name = '\" + name_of() + \"'\")\n";
    assert_eq!(told("a.py", text), (vec![2], vec![]));
}
