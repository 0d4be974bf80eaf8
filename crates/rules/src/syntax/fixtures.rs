//! Small sources per language, and what has to be seen in them.

use bytes::Bytes;
use domain::change::RepoPath;

use super::*;
use crate::language::Language;

pub(crate) fn tree(path: &str, text: &str) -> Tree {
    let path = RepoPath::from(path);
    let table = table(Language::of(&path), &path).unwrap();
    parse(&Bytes::copy_from_slice(text.as_bytes()), table).unwrap()
}

/// `container.name arity visibility`, with `?` for a test and `;` for one without a body.
pub(super) fn shown(path: &str, text: &str) -> Vec<String> {
    let tree = tree(path, text);
    functions(&tree)
        .iter()
        .map(|function| {
            let visibility = match function.visibility {
                Visibility::Public => "pub",
                Visibility::Restricted => "mid",
                Visibility::Private => "own",
            };
            let test = if function.is_test { "?" } else { "" };
            let body = if function.has_body() { "" } else { ";" };
            format!("{} {} {visibility}{test}{body}", function.path(), function.arity.shown())
        })
        .collect()
}

/// Everything public besides functions, as `container.name`.
fn offered(path: &str, text: &str) -> Vec<String> {
    let tree = tree(path, text);
    let public = |item: &Item<'_>| item.visibility == Visibility::Public && item.kind != ItemKind::Function;
    items(&tree)
        .iter()
        .filter(|item| public(item))
        .map(|item| format!("{} {}", item.kind.as_str(), item.path()))
        .collect()
}

fn calls(path: &str, text: &str) -> Vec<String> {
    let tree = tree(path, text);
    let calls = tree.all(Notion::Call).filter_map(|node| node.call());
    calls
        .map(|call| format!("{}/{}", String::from_utf8_lossy(call.callee()), call.arguments().count()))
        .collect()
}

#[test]
fn every_kind_a_table_names_exists_in_its_grammar() {
    for table in languages::ALL.into_iter().chain([&languages::TSX]) {
        let grammar = (table.spec.grammar)();
        let kinds = table.spec.notions.iter().flat_map(|(_, kinds)| kinds.iter().copied());
        for kind in kinds.chain(table.spec.calls.iter().map(|call| call.kind)) {
            assert_ne!(grammar.id_for_node_kind(kind, true), 0, "{table:?}: {kind}");
        }
        for field in table.spec.calls.iter().flat_map(|call| call.callee) {
            assert!(grammar.field_id_for_name(field).is_some(), "{table:?}: {field}");
        }
        for token in table.spec.logical {
            let known = grammar.id_for_node_kind(token, false) != 0;
            assert!(known || ["??", "?:", "and", "or", "||", "&&"].contains(token), "{table:?}: {token}");
        }
    }
}

#[test]
fn rust_is_understood() {
    let text = "pub mod m {\n    pub struct S<T> { pub a: u8, b: T }\n    impl<T> S<T> {\n        pub fn new(a: u8) -> Self { todo!() }\n        fn own(&mut self, (a, b): (u8, u8)) {}\n        pub(crate) fn mid(self: Box<Self>) {}\n    }\n}\npub trait T { fn f(&self, a: u8); const K: u8; }\nimpl T for u8 { fn f(&self, a: u8) { inner(1, 2); fn local() {} } }\nstruct P;\nimpl P { pub fn hidden(self) {} }\npub enum E { A, B { x: u8 } }\n#[test]\nfn t() { assert_eq!(1, 2); }\n#[tokio::test]\n// why\nasync fn u() {}\nextern \"C\" { pub fn c(a: u8, ...); }\n";
    assert_eq!(
        shown("a.rs", text),
        [
            "m.S.new 1 pub",
            "m.S.own 1 own",
            "m.S.mid 0 mid",
            "T.f 1 pub;",
            "u8.f 1 mid",
            "u8.local 0 own",
            "P.hidden 0 own",
            "t 0 own?",
            "u 0 own?",
            "c 1 or more pub;",
        ]
    );
    assert_eq!(
        offered("a.rs", text),
        ["type m.S", "field m.S.a", "type T", "constant T.K", "type E", "variant E.A", "variant E.B"]
    );
    assert_eq!(calls("a.rs", "fn a() { b::c(1).d(); e!(f, g); }"), ["b::c(1).d/0", "b::c/1", "e/2"]);
}

#[test]
fn python_is_understood() {
    let text = "__all__ = ['A', 'f', 'K']\nK = 1\nL = 2\nclass A(B):\n    x: int = 1\n    _y = 2\n    def m(this, a, b=1, *, c, **kw): pass\n    @staticmethod\n    def s(a): pass\n    def _own(self): pass\n    @classmethod\n    async def c(cls): pass\n    def __init__(self, a): pass\ndef f(a: int, /, b: str = 'x', *args: int):\n    def local(): pass\ndef g(): pass\ndef test_f():\n    assert f(1)\n    self.assertEqual(1, 2)\n";
    assert_eq!(
        shown("a.py", text),
        [
            "A.m 2 or more pub",
            "A.s 1 pub",
            "A._own 0 own",
            "A.c 0 pub",
            "A.__init__ 1 pub",
            "f 1 or more pub",
            "local 0 own",
            "g 0 mid",
            "test_f 0 mid?",
        ]
    );
    assert_eq!(offered("a.py", text), ["constant K", "type A", "field A.x"]);
    assert_eq!(calls("a.py", "a.b(1, k=2)\n"), ["a.b/2"]);
    let tree = tree("a.py", text);
    assert_eq!(tree.root().descendants().filter(Node::is_assertion).count(), 2);
}

#[test]
fn scripts_are_understood() {
    let text = "export default class A { #x = 1; y = 2; constructor(a) {} async m(a, b = 1, ...c) {} go = (a) => 1; _u() {} }\nexport const f = async ({a, b}, c) => {}, k = 1;\nexport function* g() { const local = x => x; }\nconst h = function (a) {};\nfunction i() {}\nfunction own() {}\nexport { h as other, i };\nexports.j = function (a, b) {};\nmodule.exports = { l };\nconst l = 1;\n";
    assert_eq!(
        shown("a.js", text),
        [
            "A.constructor 1 pub",
            "A.m 1 or more pub",
            "A.go 1 pub",
            "A._u 0 mid",
            "f 2 pub",
            "g 0 pub",
            "local 1 own",
            "h 1 pub",
            "i 0 pub",
            "own 0 own",
            "j 2 pub",
        ]
    );
    assert_eq!(offered("a.js", text), ["type A", "field A.y", "constant k", "constant l"]);
    assert_eq!(calls("a.js", "a?.b.c(1); new D(2, 3)"), ["a?.b.c/1", "D/2"]);
}

#[test]
fn typescript_is_understood() {
    let text = "export abstract class A { private x = 1; y?: string; f(this: X, a: string, b?: number, c = 1): void {} abstract h(a): void }\nexport function o(a: string): void;\nexport function o(a: any, b?: any) {}\nexport interface I { a: string; m(a: number): void }\nexport type T = { b: string };\nexport enum E { P, Q = 2 }\nnamespace N { export function i() {} }\ninterface Own { z: string }\nexport declare function d(): void;\n";
    for path in ["a.ts", "a.tsx"] {
        assert_eq!(
            shown(path, text),
            [
                "A.f 1 to 3 pub",
                "A.h 1 pub;",
                "o 1 pub;",
                "o 1 to 2 pub",
                "I.m 1 pub;",
                "N.i 0 own",
                "d 0 pub;"
            ]
        );
        assert_eq!(
            offered(path, text),
            [
                "type A",
                "field A.y",
                "type I",
                "field I.a",
                "type T",
                "field T.b",
                "type E",
                "variant E.P",
                "variant E.Q"
            ]
        );
    }
    let tests = tests(&tree(
        "a.test.tsx",
        "describe('a', () => { it('b', async () => { expect(<A/>).toBe(1) }); it.only(`c`, f); });",
    ))
    .iter()
    .map(|test| test.name.clone())
    .collect::<Vec<_>>();
    assert_eq!(tests, ["b"]);
}

#[test]
fn go_is_understood() {
    let text = "package p\nconst A, b = 1, 2\nvar V int\ntype S struct { A, B int; c string }\ntype I interface { F(a, b int) error }\nfunc (s *S[T]) M(a, b int, c ...string) (int, error) { x := func() { local := 1 } }\nfunc F(int, string) {}\nfunc g() {}\nfunc TestX(t *testing.T) { t.Fatal(1) }\n";
    assert_eq!(
        shown("a.go", text),
        ["I.F 2 pub;", "S.M 2 or more pub", "F 2 pub", "g 0 mid", "TestX 1 pub?"]
    );
    assert_eq!(
        offered("a.go", text),
        ["constant A", "constant V", "type S", "field S.A", "field S.B", "type I"]
    );
    assert_eq!(calls("a.go", "package p\nfunc f() { a.b(1, 2) }"), ["a.b/2"]);
}

#[test]
fn java_is_understood() {
    let text = "public class A<T> { public static final int X = 1, Y = 2; int z; public A(int x) {} @Test void t() { int local; } protected <T> void f(final int b, String... c) throws E {} private void p() {} public enum E { P, Q(1) } public interface I { void m(int a); } }\nclass B { public void hidden() {} }\n";
    assert_eq!(
        shown("A.java", text),
        ["A.A 1 pub", "A.t 0 mid?", "A.f 1 or more mid", "A.p 0 own", "A.I.m 1 pub;", "B.hidden 0 mid"]
    );
    assert_eq!(
        offered("A.java", text),
        ["type A", "field A.X", "field A.Y", "type A.E", "variant A.E.P", "variant A.E.Q", "type A.I"]
    );
    assert_eq!(calls("A.java", "class A { void f() { g.h(1); new X(2, 3); } }"), ["g.h/1", "X/2"]);
}

#[test]
fn kotlin_is_understood() {
    let text = "class A(val x: Int, private val y: Int, z: Int) {\n    val f: Int = 1\n    private fun m(a: Int, b: Int = 2, vararg c: String): Int { return 1 }\n    companion object {\n        const val K = 1\n        fun q() {}\n    }\n    @Test\n    fun t() {}\n}\ninternal fun String.ext(a: Int) = 1\nenum class E { P, Q }\nval top = 1\n";
    assert_eq!(shown("a.kt", text), ["A.m 1 or more own", "A.q 0 pub", "A.t 0 pub?", "String.ext 1 mid"]);
    assert_eq!(
        offered("a.kt", text),
        [
            "type A",
            "field A.x",
            "field A.f",
            "field A.K",
            "type E",
            "variant E.P",
            "variant E.Q",
            "constant top"
        ]
    );
    assert_eq!(calls("a.kt", "fun f() { a.b(1, 2) }"), ["a.b/2"]);
}

#[test]
fn c_is_understood() {
    let text = "static int f(int a, char *b[], void (*cb)(int)) { g(1); return a; }\nint *g(void);\nint h(const char *fmt, ...);\ntypedef struct S { int a, *b; } S_t;\nenum E { P, Q = 2 };\nint (*pointer)(int);\nstruct T *u(struct T *t) { return t; }\n#define K 1\n";
    assert_eq!(shown("a.c", text), ["f 3 own", "g 0 pub;", "h 1 or more pub;", "u 1 pub"]);
    assert_eq!(
        offered("a.c", text),
        [
            "type S_t",
            "type S_t.S",
            "field S_t.S.a",
            "field S_t.S.b",
            "type E",
            "variant E.P",
            "variant E.Q",
            "constant K"
        ]
    );
    assert_eq!(calls("a.c", "int f(void) { g(1, 2); }"), ["g/2"]);
}

#[test]
fn cpp_is_understood() {
    let text = "namespace n { class A : public B { public: A(int a); int f(int a, int b = 2) const override; int pub; private: int p_; void own(); }; }\nint n::A::f(int a, int b) const { x->y(1); return 1; }\ntemplate <typename... Ts> void v(Ts... ts) {}\nenum class E { P };\nstruct S { int a; int b() { return 1; } };\nusing T = int;\nTEST(Suite, Name) { EXPECT_EQ(1, 2); }\n";
    assert_eq!(
        shown("a.cpp", text),
        [
            "n.A.A 1 pub;",
            "n.A.f 1 to 2 pub;",
            "n.A.own 0 own;",
            "A.f 2 pub",
            "v 0 or more pub",
            "S.b 0 pub",
            "TEST 2 pub?",
        ]
    );
    assert_eq!(
        offered("a.h", text),
        ["type n.A", "field n.A.pub", "type E", "variant E.P", "type S", "field S.a", "type T"]
    );
    assert_eq!(calls("a.cc", "int f() { x->y(1); new X(2, 3); }"), ["x->y/1", "X/2"]);
}

#[test]
fn csharp_is_understood() {
    let text = "namespace N.M { public class A : B { public const int K = 1; private int f, g; public int P { get; set; } public A(int a) {} [Test] public async Task<int> M(this int a, int b = 1, params string[] c) { void loc(int a) {} } int E() => 1; internal void I() {} } public enum En { P, Q = 2 } public interface I { void M(int a); } class Z { public void f() { } } }\n";
    assert_eq!(
        shown("a.cs", text),
        [
            "N.M.A.A 1 pub",
            "N.M.A.M 0 or more pub?",
            "N.M.A.loc 1 own",
            "N.M.A.E 0 own",
            "N.M.A.I 0 mid",
            "N.M.I.M 1 pub;",
            "N.M.Z.f 0 mid",
        ]
    );
    assert_eq!(
        offered("a.cs", text),
        [
            "type N.M.A",
            "field N.M.A.K",
            "field N.M.A.P",
            "type N.M.En",
            "variant N.M.En.P",
            "variant N.M.En.Q",
            "type N.M.I",
        ]
    );
    assert_eq!(calls("a.cs", "class A { void f() { x.Y(1); new X(2, 3); } }"), ["x.Y/1", "X/2"]);
}

#[test]
fn ruby_is_understood() {
    let text = "module M\n  class A < B\n    K = 1\n    def f(a, b = 1, *c, d:, e: 2, **g, &h)\n    end\n    def self.s; end\n    def two(a, b:); end\n    private\n    def p1; end\n    public\n    def p2; end\n  end\nend\ndef test_x; end\n";
    assert_eq!(
        shown("a.rb", text),
        [
            "M.A.f 2 or more pub;",
            "M.A.s 0 pub;",
            "M.A.two 2 pub;",
            "M.A.p1 0 own;",
            "M.A.p2 0 pub;",
            "test_x 0 pub?;"
        ]
    );
    assert_eq!(offered("a.rb", text), ["type M.A", "constant M.A.K"]);
    assert_eq!(calls("a.rb", "a.b(1, 2) { |x| x }\nputs 1\n"), ["a.b/2", "puts/1"]);
    let tests =
        tests(&tree("a_spec.rb", "describe 'x' do\n  it 'y' do\n    expect(1).to eq(1)\n  end\nend\n")).len();
    assert_eq!(tests, 1);
}

#[test]
fn php_is_understood() {
    let text = "<?php\nabstract class C { const K = 1; public static int $f = 1, $g; private function m(self $a, $b = 1, ...$c): int { return 1; } abstract function n(); public function __construct(private int $p) {} public function testIt() {} }\nenum E: string { case P = 'p'; }\nfunction top($a, &$b) { $l = function ($q) {}; }\n";
    assert_eq!(
        shown("a.php", text),
        ["C.m 1 or more own", "C.n 0 pub;", "C.__construct 1 pub", "C.testIt 0 pub?", "top 2 pub"]
    );
    assert_eq!(
        offered("a.php", text),
        ["type C", "constant C.K", "field C.$f", "field C.$g", "type E", "variant E.P"]
    );
    assert_eq!(
        calls("a.php", "<?php $a->x(1); Foo::bar(2); f(3); new X(1);"),
        ["$a->x/1", "Foo::bar/1", "f/1", "X/1"]
    );
}

#[test]
fn swift_is_understood() {
    let text = "public class C: D {\n    public var x: Int = 1\n    private let y = 2\n    public init(a: Int, b: Int = 1) {}\n    public func f(_ a: Int, label b: Int = 2, c: String...) throws -> Int { return 1 }\n}\npublic enum E { case p, q(Int) }\npublic protocol P { func p(a: Int) }\nextension C { func ext() {} }\nfunc testX() { XCTAssertEqual(1, 2) }\n";
    assert_eq!(
        shown("a.swift", text),
        ["C.init 1 to 2 pub", "C.f 1 or more pub", "P.p 1 pub;", "C.ext 0 mid", "testX 0 mid?"]
    );
    assert_eq!(
        offered("a.swift", text),
        ["type C", "field C.x", "type E", "variant E.p", "variant E.q", "type P"]
    );
    assert_eq!(calls("a.swift", "func f() { a.b(1, 2) }"), ["a.b/2"]);
}

#[test]
fn scala_is_understood() {
    let text = "class A(val x: Int) extends B { def f(a: Int, b: Int = 2)(c: String*): Int = { 1 }\n private def q = 1\n val k = 1 }\nobject O { def o(): Unit = () }\ntrait T { def t(a: Int): Int }\nenum E { case P, Q }\n";
    assert_eq!(shown("a.scala", text), ["A.f 1 or more pub", "A.q 0 own", "O.o 0 pub", "T.t 1 pub;"]);
    assert_eq!(
        offered("a.scala", text),
        ["type A", "field A.x", "field A.k", "type O", "type T", "type E", "variant E.P", "variant E.Q"]
    );
    assert_eq!(calls("a.scala", "object A { a.b(1, 2) }"), ["a.b/2"]);
}

#[test]
fn shell_is_understood() {
    let text = "f() { local x=1; g \"s\" 's'; }\nfunction h { echo $1; }\nx=1\n";
    assert_eq!(shown("a.sh", text), ["f 0 or more pub", "h 0 or more pub"]);
    assert_eq!(offered("a.sh", text), ["constant x"]);
    assert_eq!(calls("a.sh", text), ["g/2", "echo/1"]);
}
