//! One fault that a rule finds twice: where a value is made, and where it is used.
//!
//! Both are told, as either may be the line that somebody looks at; but only the use has to be mended. Whoever accepts it has
//! accepted the making as well.

use domain::review::Confidence;
use domain::words::Severity;
use tree_sitter::Node;

use super::subject::lines_of;
use crate::flow::{Flow, Step, walk};

/// A file with more findings has other troubles.
const MOST: usize = 200;

/// So much of a use is searched for variables.
const MOST_NODES: u32 = 200;

/// What a rule found, and how bad it is.
pub(super) struct Told<'f> {
    pub(super) rule: usize,
    pub(super) node: Node<'f>,
    pub(super) severity: Severity,
    pub(super) confidence: Confidence,
}

impl Told<'_> {
    fn has_to_be_mended(&self) -> bool {
        self.severity.must_fix() && self.confidence > Confidence::Low
    }
}

/// For each of them the line at which the same fault is told again, further down.
pub(super) fn told_again<'s, 'f: 's>(all: &[Told<'f>], flow: impl Fn() -> &'s Flow<'f>) -> Vec<Option<u32>> {
    let mut again = vec![None; all.len()];
    if all.len() > MOST {
        return again;
    }
    for (at, used) in all.iter().enumerate() {
        let made: Vec<usize> =
            (0..all.len()).filter(|other| *other != at && may_make(&all[*other], used)).collect();
        if made.is_empty() {
            continue;
        }
        for range in variables(used.node).into_iter().flat_map(|variable| flow().made_at(variable)) {
            for other in &made {
                let node = all[*other].node;
                let is_inside = range.start <= node.start_byte() && node.end_byte() <= range.end;
                let is_around = node.start_byte() <= range.start && range.end <= node.end_byte();
                if is_inside || is_around {
                    again[*other].get_or_insert(lines_of(used.node).0);
                }
            }
        }
    }
    again
}

fn may_make(made: &Told<'_>, used: &Told<'_>) -> bool {
    made.rule == used.rule
        && made.node.end_byte() <= used.node.start_byte()
        && lines_of(made.node).0 < lines_of(used.node).0
        && made.has_to_be_mended()
        && used.has_to_be_mended()
}

fn variables(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut left = MOST_NODES;
    walk(node, |inner| {
        left = left.saturating_sub(1);
        if inner.kind() == "identifier" {
            found.push(inner);
        }
        if left == 0 { Step::Over } else { Step::Into }
    });
    found
}

#[cfg(test)]
mod tests {
    use ast_grep_core::AstGrep;
    use domain::review::Confidence;

    use crate::data::bank::built_in;
    use crate::data::grammar::{Grammar, Parsed, parse};
    use crate::data::scan::hits;
    use crate::data::subject::{Subject, Touched};
    use crate::language::Language;

    /// The lines at which a rule finds something, and whether that is advice alone.
    fn told(language: Language, rule: &str, text: &str) -> Vec<(u32, bool)> {
        let grammar = Grammar::of(language, "").unwrap();
        let tree = parse(grammar, text.as_bytes()).unwrap();
        let code = AstGrep::doc(Parsed::new(grammar, text.as_bytes(), tree));
        let subject = Subject::new(grammar, &code, Touched::All);
        let wanted = built_in().loaded(language).unwrap().candidates(text.as_bytes());
        let mut told: Vec<(u32, bool)> = hits(built_in(), &wanted, &subject)
            .into_iter()
            .filter(|hit| built_in().heads()[hit.rule].id == rule)
            .map(|hit| (hit.first, hit.confidence == Some(Confidence::Low)))
            .collect();
        told.sort_unstable();
        told
    }

    #[test]
    fn a_query_has_to_be_mended_where_it_is_run() {
        let text = "package a\nfunc f(db *sql.DB, r *http.Request) {\n\tq := \"SELECT a FROM b WHERE c = '\" + r.FormValue(\"c\") + \"'\"\n\tdb.Query(q)\n}\n";
        assert_eq!(told(Language::Go, "sql-injection", text), [(3, true), (4, false)]);
        let text = "class A {\n  void f(HttpServletRequest request, Statement s) {\n    String q = \"SELECT a FROM b WHERE c = \" + request.getParameter(\"c\");\n    s.executeQuery(q);\n  }\n}\n";
        assert_eq!(told(Language::Java, "sql-injection", text), [(3, true), (4, false)]);
    }

    #[test]
    fn two_queries_are_two_faults() {
        let text = "package a\nfunc f(db *sql.DB, r *http.Request) {\n\tq := \"SELECT a FROM b WHERE c = '\" + r.FormValue(\"c\") + \"'\"\n\tlog(q)\n\tdb.Query(\"SELECT a FROM b WHERE d = '\" + r.FormValue(\"d\") + \"'\")\n}\n";
        assert_eq!(told(Language::Go, "sql-injection", text), [(3, false), (5, false)]);
    }
}
