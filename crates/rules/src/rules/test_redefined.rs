use std::borrow::Cow;
use std::collections::HashMap;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{Node, Notion};

static INFO: RuleInfo = RuleInfo {
    id: text("test-redefined"),
    title: text("A test whose name is given to something else further down, so that it never runs"),
    why: text(
        "Only what has the name last is run: what the first one guarded is unguarded, and the run stays green",
    ),
    fix: text("Give each test a name of its own"),
    severity: Severity::Major,
    category: Category::Testing,
    dimension: Dimension::TEST_QUALITY,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[Language::Python, Language::Ruby]),
    examples: Cow::Borrowed(&[
        Example::bad(
            "tests/test_a.py",
            "def test_a():\n    assert cost(1) == 2\n\n\ndef test_a():\n    assert cost(2) > 0\n",
            &[5],
        ),
        Example::bad("tests/test_a.py", "def test_a():\n    assert cost(1) == 2\n\n\ndel test_a\n", &[5]),
        Example::bad(
            "tests/test_a.py",
            "class TestA:\n    def test_a(self):\n        assert cost(1) == 2\n\n    test_a = None\n",
            &[5],
        ),
        Example::good(
            "tests/test_a.py",
            "def test_a():\n    assert cost(1) == 2\n\n\nclass TestA:\n    def test_a(self):\n        assert cost(2) == 3\n",
        ),
        Example::good(
            "tests/test_a.py",
            "if WINDOWS:\n    def test_a():\n        assert cost(1) == 2\nelse:\n    def test_a():\n        assert cost(1) == 3\n",
        ),
        Example::good(
            "tests/test_a.py",
            "def test_a():\n    assert cost(1) == 2\n\n\ntest_a = slow(test_a)\n\n\nclass TestB(TestA):\n    test_b = None\n",
        ),
        Example::bad(
            "test/a_test.rb",
            "class ATest < Minitest::Test\n  def test_a\n    assert_equal 2, cost(1)\n  end\n\n  def test_a\n    assert cost(1)\n  end\nend\n",
            &[6],
        ),
        Example::good(
            "test/a_test.rb",
            "class ATest < Minitest::Test\n  def test_a\n    assert_equal 2, cost(1)\n  end\nend\n\nclass BTest < Minitest::Test\n  def test_a\n    assert_equal 2, cost(1)\n  end\nend\n",
        ),
    ]),
};

pub(crate) struct TestRedefined;

impl FileRule for TestRedefined {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals { added: &[b"def test", b"del test", b"test_"], removed: &[] }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || !file.is_test_file() || hits.is_empty() {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        let scopes = tree.root().descendants().filter(|node| node.is(Notion::Type));
        let bodies = scopes.filter_map(|class| class.child("body"));
        for scope in std::iter::once(tree.root()).chain(bodies) {
            let mut tests: HashMap<&[u8], Node<'_>> = HashMap::new();
            for one in scope.named_children().filter_map(|statement| named(statement, file.language)) {
                let line = one.node.line();
                let first =
                    if one.is_test { tests.insert(one.name, one.node) } else { tests.remove(one.name) };
                let Some(first) = first else { continue };
                let touched = [first.line(), line].iter().any(|line| file.touched_lines().is_added(*line));
                if touched {
                    let name = String::from_utf8_lossy(one.name);
                    let message = format!(
                        "`{name}` gets another meaning here: the test of line {} never runs",
                        first.line()
                    );
                    report.add(Draft::lines(head, line, line, message));
                }
            }
        }
    }
}

/// What gives a name in a scope that a test may have.
struct Named<'t> {
    name: &'t [u8],
    node: Node<'t>,
    is_test: bool,
}

fn test<'t>(name: Node<'t>, node: Node<'t>, is_test: bool) -> Option<Named<'t>> {
    let is_name = name.kind() == "identifier" && name.bytes().starts_with(b"test");
    is_name.then(|| Named { name: name.bytes(), node, is_test })
}

fn named(statement: Node<'_>, language: Language) -> Option<Named<'_>> {
    match statement.kind() {
        "method" if language == Language::Ruby => test(statement.child("name")?, statement, true),
        "function_definition" => test(statement.child("name")?, statement, true),
        "decorated_definition" => {
            let function = statement.child("definition").filter(|one| one.is(Notion::Function))?;
            // What else stands there may make several functions one.
            let marks = statement.children().filter(|child| child.kind() == "decorator");
            let mut marks = marks.map(|mark| mark.bytes());
            let plain = marks.all(|mark| mark.starts_with(b"@pytest.mark.") || mark.starts_with(b"@mark."));
            plain.then(|| test(function.child("name")?, function, true))?
        }
        "delete_statement" => test(statement.named_children().next()?, statement, false),
        "expression_statement" => {
            let assignment = statement.child_of(&["assignment"])?;
            let (left, right) = (assignment.child("left")?, assignment.child("right")?);
            // `test_a = slow(test_a)` runs it still.
            let runs = memchr::memmem::find(right.bytes(), left.bytes()).is_some();
            (!runs).then(|| test(left, statement, false))?
        }
        _ => None,
    }
}
