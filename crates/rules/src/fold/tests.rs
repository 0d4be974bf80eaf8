use domain::change::{Attributes, Content, FileChange, FileSide, Hunk, Mode, RepoPath, Status};

use super::*;
use crate::syntax::{self, Tree, functions, items};

/// As if the change had added these lines and no others.
fn added(lines: &[u32]) -> Touched {
    let hunk = |line: &u32| {
        let (old, new) =
            (domain::change::Span { start: line - 1, len: 0 }, domain::change::Span { start: *line, len: 1 });
        Hunk::new(old, new, String::new(), "+x\n".into())
    };
    let side = FileSide { path: RepoPath::from("a"), mode: Mode::File, oid: None };
    Touched::of(&FileChange {
        status: Status::Modified,
        old: Some(side.clone()),
        new: Some(side),
        content: Content::Text(lines.iter().map(hunk).collect()),
        attributes: Attributes::default(),
    })
}

/// Functions and items outside of others, with their lines and how they can be called.
fn outline(tree: &Tree) -> Vec<String> {
    let outer = functions(tree).into_iter().filter(|one| !one.local);
    let shown = outer.map(|one| {
        let lines = one.lines();
        format!(
            "{} {:?} {lines:?} {:?} {} {}",
            one.path(),
            one.arity,
            one.visibility,
            one.is_test,
            one.has_body()
        )
    });
    let items =
        items(tree).into_iter().map(|one| format!("{} {:?} {:?}", one.path(), one.kind, one.visibility));
    shown.chain(items).collect()
}

/// What is parsed, with a bar where something was left out.
fn shown(path: &str, text: &'static str, lines: &[u32]) -> String {
    let language = Language::of(&RepoPath::from(path));
    let source = Source::new(text.into(), language);
    let bodies = untouched(&source, language, &added(lines)).unwrap_or_default();
    kept(&bodies, text.len()).into_iter().map(|part| &text[part]).collect::<Vec<_>>().join("|")
}

/// In each the function that is touched holds `here`, and the others hold `away`.
const SOURCES: [(&str, &str); 10] = [
    (
        "a.rs",
        "use b::C;\nimpl C for fn(u8) -> u8 {\n    fn a<T: B>(&self) -> [u8; 2]\n    where\n        T: C,\n    {\n        if away(\"}\") {\n            away('{', 0)\n        }\n    }\n}\n#[test]\nfn b() {\n    here();\n    if x { y() }\n}\n",
    ),
    (
        "a.py",
        "import b\n\n\nclass A:\n    x = 1\n\n    @b.c(\n        1,\n    )\n    async def a(\n        self, y: int\n    ) -> None:\n        \"\"\"Says\nmuch of away.\"\"\"\n        for z in away(y,\n            2):\n            if z:\n                return (\n                    0)\n    # About b.\n    def b(self):\n        here()\n",
    ),
    (
        "a.ts",
        "import x from 'x'\nlet y\nif (x) {\n  y = class Z { constructor() { x(1) } }\n}\nexport const a = async (b: string): Promise<void> => {\n  if (away(b)) { away(`${b} }`, /[}]/) }\n}\nexport class C {\n  private d = { e: f(1), g: { h: 2 } }\n  i(j: number): string {\n    return `${away(j)}` + 'and more than a few'\n  }\n  k() { return here() }\n}\n",
    ),
    (
        "a.test.js",
        "describe('a', () => {\n  it('b', () => {\n    expect(away(1, 2, 3, 4)).toBe(away(5, 6, 7))\n  })\n  it('c', function () {\n    here()\n  })\n})\n",
    ),
    (
        "a.go",
        "package a\n\ntype A struct {\n\tb int\n}\n\nfunc (a *A) C(d struct{ e int }) (f int, g error) {\n\tif x := away(); x {\n\t\treturn away(x), nil\n\t}\n}\n\nvar h = func() {}\n\nfunc i() interface{} {\n\treturn here()\n}\n",
    ),
    (
        "A.java",
        "package a;\n\n@B({\"c\", \"d\"})\npublic class A {\n    private final int[] e = { 1, 2 };\n    @Override\n    public <T> int f(T g) throws IOException {\n        for (int h : away(g)) { away(h); }\n        return '}';\n    }\n    record I(int j) { I { away(j, j, j, j, j, j, j, j); } }\n    void k() {\n        here();\n    }\n}\n",
    ),
    (
        "a.kt",
        "package a\n\nclass A(val b: Int) {\n    val c = 1\n    fun <T> f(g: T): Int {\n        return away(g, \"${g} and more\") + away(g, \"}\")\n    }\n    fun h() {\n        here()\n    }\n}\n",
    ),
    (
        "a.c",
        "#include <a.h>\n\nstruct b {\n    int c;\n};\n\nstatic int d(int e, struct b f)\n{\n    while (away(e)) { e = away('}', \"{\"); }\n    return e;\n}\n\nint g(void)\n{\n    return here();\n}\n",
    ),
    (
        "a.cs",
        "using B;\n\nnamespace A\n{\n    public class C<T> where T : new()\n    {\n        public int D { get; set; }\n        public async Task<int> E(int f)\n        {\n            return await Away(f) + away(@\"}\", $\"{f}\");\n        }\n        void G()\n        {\n            here();\n        }\n    }\n}\n",
    ),
    (
        "a.php",
        "<?php\nnamespace A;\n\nclass B {\n    const C = ['d' => 1];\n    public function e(int $f): array {\n        foreach ($this->away($f) as $g) { away('}'); }\n        return [];\n    }\n    function h() {\n        return here();\n    }\n}\n",
    ),
];

#[test]
fn only_bodies_that_nobody_touched_are_left_out() {
    for (path, text) in SOURCES {
        let line = text.lines().position(|line| line.contains("here(")).unwrap() + 1;
        let left = shown(path, text, &[u32::try_from(line).unwrap()]);
        assert!(left.contains("here(") && left.contains('|'), "{path}: {left}");
        assert!(!left.replace("away(j, j", "").contains("away("), "{path}: {left}");
    }
}

#[test]
fn what_a_file_offers_is_the_same_with_and_without_bodies() {
    for (path, text) in SOURCES {
        let repo_path = RepoPath::from(path);
        let language = Language::of(&repo_path);
        let table = syntax::table(language, &repo_path).unwrap();
        for line in 1..=u32::try_from(text.lines().count()).unwrap() {
            let source = Source::new(text.into(), language);
            let whole = source.tree(table, || None).unwrap();
            assert!(!whole.root().has_error(), "{path}");
            let whole = outline(whole);
            assert!(!whole.is_empty() || path == "a.test.js", "{path}");
            if untouched(&source, language, &added(&[line])).is_some() {
                let folded = source.folded(table, &added(&[line])).unwrap_or_else(|| panic!("{path}:{line}"));
                assert_eq!(outline(&folded.tree), whole, "{path}:{line}");
            }
        }
    }
}

#[test]
fn a_body_stays_where_its_head_or_its_marker_was_touched() {
    let text =
        "@b\n@c(\n    1)\ndef a(d,\n      e):\n    first(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)\n    return 1\n";
    for line in 1..=7 {
        assert_eq!(shown("a.py", text, &[line]), text, "line {line}");
    }
    assert_eq!(shown("a.py", text, &[]), text.replace("    first(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)\n", "|"));
}

#[test]
fn nothing_is_left_out_where_brackets_do_not_add_up() {
    let broken = [
        ("a.rs", "fn a() { b(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11); }\nfn c() { d( }\n"),
        ("a.rs", "fn a() { b(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11); } }\n"),
        ("a.py", "def a():\n    b(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)\n    c()\nd(\n"),
        ("a.py", "def a():\n    b(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)\n\tc()\n"),
    ];
    for (path, text) in broken {
        assert_eq!(shown(path, text, &[]), text);
    }
}

#[test]
fn the_other_side_is_folded_alike_or_not_at_all() {
    let source = |text: &'static str| Source::new(text.into(), Language::Rust);
    let table = syntax::table(Language::Rust, &RepoPath::from("a.rs")).unwrap();
    let head =
        source("fn new() {}\nfn a() { b(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13); }\nfn c() { d() }\n");
    assert!(head.folded(table, &added(&[1, 3])).is_some());
    let base = source("fn a() { b(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13); }\nfn c() {}\n");
    // The first line is gone, and so is what `c` did.
    let replaced = |last: usize, len: usize| {
        [
            Replaced { old: 0..12, new: 0..0 },
            Replaced { old: last..last + 15, new: last - 12..last - 12 + len },
        ]
    };
    let last = head.start_of(3);
    assert_eq!(outline(&base.folded_as(table, &head, &replaced(last, 10)).unwrap().tree).len(), 4);
    let other = source("fn a() { b(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14); }\nfn c() {}\n");
    assert!(other.folded_as(table, &head, &replaced(last, 10)).is_none());
}

/// An error that nobody touched is not told of; one beside what was touched has the whole file parsed.
#[test]
fn what_is_left_is_only_used_if_it_can_be_read() {
    let source = |text: &'static str| Source::new(text.into(), Language::Rust);
    let table = syntax::table(Language::Rust, &RepoPath::from("a.rs")).unwrap();
    let sound = source("fn a() { let = = = = = = = = = = = = = = = = = = = =; }\nfn b() { c() }\n");
    assert!(sound.folded(table, &added(&[2])).is_some_and(|folded| !folded.tree.root().has_error()));
    let broken = source("fn a() { b(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13); }\nfn b() { let = = c() }\n");
    assert!(broken.folded(table, &added(&[2])).is_none());
}

proptest::proptest! {
    #[test]
    fn any_mix_of_signs_is_survived(text in "(fn a|def a|function|=>|\\(|\\)|\\{|\\}|\\[|\\]|[:;\"'`/\\\\ \t\n#@x]){0,80}") {
        for language in [Language::Rust, Language::Python, Language::TypeScript, Language::Java, Language::Cpp] {
            let source = Source::new(text.clone().into(), language);
            let bodies = untouched(&source, language, &added(&[])).unwrap_or_default();
            let kept = kept(&bodies, text.len());
            proptest::prop_assert!(kept.is_sorted_by(|one, next| one.end <= next.start));
            proptest::prop_assert!(kept.iter().all(|part| part.start <= part.end && part.end <= text.len()));
        }
    }
}
