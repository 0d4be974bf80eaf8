//! Callers of types, of constructors and of what belongs to a type, in files that a change does not touch.

use domain::words::Severity;

use crate::support::Scenario;

/// What was and is there, somebody who uses it as before, and somebody who does not mean it or follows.
struct Case {
    path: &'static str,
    old: &'static str,
    new: &'static str,
    other: &'static str,
    stale: &'static [&'static str],
    fine: &'static [&'static str],
}

fn must_fix(path: &str, old: &str, new: &str, other: &str, user: &str) -> Option<String> {
    let blocking = |scenario: Scenario| {
        let findings = scenario.findings("breaking-change");
        findings.into_iter().find(|finding| finding.blocks(Severity::Major)).map(|finding| finding.message)
    };
    let found = blocking(Scenario::changing(path, old, new).and_keeping(other, user));
    let comment = if path.ends_with("py") { "#" } else { "//" };
    let (was, is) = (format!("{user}{comment} one\n"), format!("{user}{comment} two\n"));
    let touched = blocking(Scenario::changing(path, old, new).and_changing(other, &was, &is));
    assert_eq!(found, touched, "whether the change touches {other} elsewhere or not: {user}");
    found
}

fn holds(case: &Case) {
    let Case { path, old, new, other, .. } = case;
    for user in case.stale {
        let message = must_fix(path, old, new, other, user).unwrap_or_default();
        assert!(message.contains(&format!("but {other}:")), "{path}: {user}: {message:?}");
    }
    for user in case.fine {
        assert_eq!(must_fix(path, old, new, other, user), None, "{path}: {user}");
    }
}

#[test]
fn a_type_of_go_that_is_gone_has_users() {
    holds(&Case {
        path: "auth/auth.go",
        old: "package auth\n\ntype Session struct{}\n\ntype User struct{}\n",
        new: "package auth\n\ntype Login struct{}\n\ntype User struct{}\n",
        other: "auth/web.go",
        stale: &[
            "package auth\n\nfunc run(s *Session) {}\n",
            "package auth\n\nfunc run() {\n\ts := Session{}\n\t_ = s\n}\n",
            "package auth\n\nfunc (s *Session) Close() {}\n",
            "package auth\n\nvar all map[string][]Session\n",
        ],
        fine: &[
            "package auth\n\ntype Session struct{}\n\nfunc run(s *Session) {}\n",
            "package auth_test\n\nimport . \"example.com/m/other\"\n\nfunc run(s *Session) {}\n",
            "package auth\n\nfunc run(s *http.Session) {}\n",
            "package auth\n\nfunc run[Session any](s *Session) {}\n",
            "package auth\n\n// Session is gone\nfunc run(s *User) {}\n",
        ],
    });
    holds(&Case {
        path: "auth/auth.go",
        old: "package auth\n\ntype Session struct{}\n",
        new: "package auth\n\ntype Login struct{}\n",
        other: "web/web.go",
        stale: &[
            "package web\n\nimport \"example.com/m/auth\"\n\nfunc run(s auth.Session) {}\n",
            "package web\n\nimport a \"example.com/m/auth\"\n\nvar s = &a.Session{}\n",
        ],
        fine: &[
            "package web\n\nimport \"example.com/m/guests\"\n\nfunc run(s guests.Session) {}\n",
            "package web\n\nimport auth \"example.com/m/guests\"\n\nfunc run(s auth.Session) {}\n",
            "package web\n\nimport a \"example.com/m/auth\"\n\nfunc run(s auth.Session) {}\n",
            "package web\n\ntype Session struct{}\n\nfunc run(s Session) {}\n",
        ],
    });
}

#[test]
fn a_manifest_of_go_says_whose_package_it_is() {
    let with = |user: &str| {
        let scenario = Scenario::changing(
            "auth/auth.go",
            "package auth\n\ntype Session struct{}\n",
            "package auth\n\ntype Login struct{}\n",
        );
        let scenario =
            scenario.and_keeping("web/web.go", user).and_keeping("go.mod", "module acme.org/shop\n");
        scenario.findings("breaking-change").iter().any(|finding| finding.blocks(Severity::Major))
    };
    let user = "package web\n\nimport \"acme.org/shop/auth\"\n\nfunc run(s auth.Session) {}\n";
    assert!(with(user));
    assert!(!with(&user.replace("acme.org/shop", "example.com/m")), "somebody else's");
}

#[test]
fn a_type_that_is_gone_has_users_in_other_languages() {
    holds(&Case {
        path: "src/shop/Cart.java",
        old: "package shop;\npublic class Cart {}\n",
        new: "package shop;\npublic class Basket {}\n",
        other: "src/web/Web.java",
        stale: &[
            "package web;\nimport shop.Cart;\nclass Web {\n    Cart one;\n}\n",
            "package web;\nimport shop.*;\nclass Web {\n    void run() { new Cart(); }\n}\n",
        ],
        fine: &[
            "package web;\nimport other.Cart;\nclass Web {\n    Cart one;\n}\n",
            "package web;\nclass Web {\n    Cart one;\n}\n",
            "package web;\nimport shop.*;\nclass Web<Cart> {\n    Cart one;\n}\n",
            "package web;\nimport shop.*;\nclass Web {\n    class Cart {}\n    Cart one;\n}\n",
        ],
    });
    holds(&Case {
        path: "src/Cart.cs",
        old: "namespace Shop;\npublic class Cart { }\n",
        new: "namespace Shop;\npublic class Basket { }\n",
        other: "src/Web.cs",
        stale: &[
            "using Shop;\npublic class Web { public Cart One; }\n",
            "namespace Shop.Web;\npublic class Web { public void Run() { var a = new Cart(); } }\n",
        ],
        fine: &[
            "namespace Web;\npublic class Web { public Cart One; }\n",
            "using Shop;\nusing Cart = Other.Cart;\npublic class Web { public Cart One; }\n",
            "namespace Shop;\npublic partial class Cart { }\npublic class Web { public Cart One; }\n",
        ],
    });
    holds(&Case {
        path: "src/Cart.kt",
        old: "package shop\nclass Cart\nclass User\n",
        new: "package shop\nclass Basket\nclass User\n",
        other: "src/Web.kt",
        stale: &["package web\nimport shop.Cart\nfun run(one: Cart) = 1\n"],
        fine: &[
            "package web\nimport other.Cart\nfun run(one: Cart) = 1\n",
            "package web\nimport other.Basket as Cart\nimport shop.*\nfun run(one: Cart) = 1\n",
            "package shop\ntypealias Cart = Basket\nfun run(one: Cart) = 1\n",
        ],
    });
    holds(&Case {
        path: "src/cart.h",
        old: "namespace shop {\nclass Cart { public: int n; };\nclass User { public: int n; };\n}\n",
        new: "namespace shop {\nclass User { public: int n; };\n}\n",
        other: "src/web.cpp",
        stale: &[
            "#include \"cart.h\"\nint run() {\n    shop::Cart one;\n    return one.n;\n}\n",
            "#include \"cart.h\"\nusing namespace shop;\nint run(const Cart& one) {\n    return one.n;\n}\n",
        ],
        fine: &[
            "#include \"cart.h\"\nint run() {\n    other::Cart one;\n    return one.n;\n}\n",
            "#include \"other.h\"\nint run() {\n    shop::Cart one;\n    return one.n;\n}\n",
            "#include \"cart.h\"\nnamespace shop {\nclass Cart;\nclass Cart { public: int n; };\nint run(const Cart& one) {\n    return one.n;\n}\n}\n",
        ],
    });
    holds(&Case {
        path: "src/Cart.php",
        old: "<?php\nnamespace App\\Shop;\nclass Cart {}\n",
        new: "<?php\nnamespace App\\Shop;\nclass Basket {}\n",
        other: "src/Web.php",
        stale: &[
            "<?php\nnamespace App\\Web;\nuse App\\Shop\\Cart;\nfunction run(Cart $one) { return 1; }\n",
            "<?php\nnamespace App\\Shop;\nclass Web { function run() { return new Cart(); } }\n",
            "<?php\nnamespace App\\Web;\nfunction run() { return new \\App\\Shop\\Cart(); }\n",
        ],
        fine: &[
            "<?php\nnamespace App\\Web;\nuse Other\\Cart;\nfunction run(Cart $one) { return 1; }\n",
            "<?php\nnamespace App\\Web;\nfunction run(Cart $one) { return 1; }\n",
            "<?php\nnamespace App\\Web;\nuse Other\\Thing as Cart;\nfunction run(Cart $one) { return 1; }\n",
        ],
    });
}

#[test]
fn a_constructor_that_takes_something_else_has_callers() {
    holds(&Case {
        path: "src/shop/Cart.java",
        old: "package shop;\npublic class Cart {\n    public Cart(String a) {}\n}\n",
        new: "package shop;\npublic class Cart {\n    public Cart(String a, int b) {}\n}\n",
        other: "src/web/Web.java",
        stale: &["package web;\nimport shop.Cart;\nclass Web {\n    Cart one = new Cart(\"a\");\n}\n"],
        fine: &[
            "package web;\nimport shop.Cart;\nclass Web {\n    Cart one = new Cart(\"a\", 1);\n}\n",
            "package web;\nimport other.Cart;\nclass Web {\n    Cart one = new Cart(\"a\");\n}\n",
            "package web;\nclass Web {\n    static class Cart { Cart(String a) {} }\n    Cart one = new Cart(\"a\");\n}\n",
        ],
    });
    holds(&Case {
        path: "src/Cart.kt",
        old: "package shop\nclass Cart(val a: String)\n",
        new: "package shop\nclass Cart(val a: String, val b: Int)\n",
        other: "src/Web.kt",
        stale: &[
            "package shop\nfun run() = Cart(\"a\")\n",
            "package web\nimport shop.Cart\nval one = Cart(\"a\")\n",
        ],
        fine: &[
            "package shop\nfun run() = Cart(\"a\", 1)\n",
            "package web\nimport other.Cart\nval one = Cart(\"a\")\n",
            "package shop\nfun Cart(a: String) = Cart(a, 1)\nfun run() = Cart(\"a\")\n",
            "package shop\nfun run() = Cart(\"a\") { 1 }\n",
        ],
    });
    holds(&Case {
        path: "src/Cart.cs",
        old: "namespace Shop;\npublic class Cart {\n    public Cart(string a) { }\n}\n",
        new: "namespace Shop;\npublic class Cart {\n    public Cart(string a, int b) { }\n}\n",
        other: "src/Web.cs",
        stale: &["using Shop;\npublic class Web { public Cart One = new Cart(\"a\"); }\n"],
        fine: &[
            "using Shop;\npublic class Web { public Cart One = new Cart(\"a\", 1); }\n",
            "using Other;\npublic class Web { public Cart One = new Cart(\"a\"); }\n",
        ],
    });
    holds(&Case {
        path: "src/cart.hpp",
        old: "class Cart {\npublic:\n    Cart(const char *a);\n};\n",
        new: "class Cart {\npublic:\n    Cart(const char *a, int b);\n};\n",
        other: "src/web.cpp",
        stale: &[
            "#include \"cart.hpp\"\nint run() {\n    Cart one(\"a\");\n    return 1;\n}\n",
            "#include \"cart.hpp\"\nauto one = new Cart(\"a\");\n",
            "#include \"cart.hpp\"\nauto one = std::make_unique<Cart>(\"a\");\n",
        ],
        fine: &[
            "#include \"cart.hpp\"\nint run() {\n    Cart one(\"a\", 1);\n    return 1;\n}\n",
            "#include \"cart.hpp\"\nint run(const Cart& two) {\n    Cart one(two);\n    return 1;\n}\n",
            "#include \"other.hpp\"\nint run() {\n    Cart one(\"a\");\n    return 1;\n}\n",
            "#include \"cart.hpp\"\nint run() {\n    other::Cart one(\"a\");\n    return 1;\n}\n",
        ],
    });
    holds(&Case {
        path: "src/cart.py",
        old: "class Cart:\n    def __init__(self, a):\n        self.a = a\n",
        new: "class Cart:\n    def __init__(self, a, b):\n        self.a = a\n",
        other: "src/web.py",
        stale: &[
            "from cart import Cart\n\none = Cart(1)\n",
            "import cart\n\none = cart.Cart(1)\n",
            "from cart import Cart\n\n\ndef run():\n    return Cart(a=1)\n",
        ],
        fine: &[
            "from cart import Cart\n\none = Cart(1, 2)\n",
            "from cart import Cart\n\none = Cart(*many)\n",
            "from basket import Cart\n\none = Cart(1)\n",
            "class Cart:\n    pass\n\n\none = Cart(1)\n",
        ],
    });
    holds(&Case {
        path: "src/Cart.php",
        old: "<?php\nnamespace App;\nclass Cart { public function __construct($a) {} }\n",
        new: "<?php\nnamespace App;\nclass Cart { public function __construct($a, $b) {} }\n",
        other: "src/Web.php",
        stale: &[
            "<?php\nnamespace Web;\nuse App\\Cart;\n$one = new Cart(1);\n",
            "<?php\nnamespace App;\n$one = new Cart(1);\n",
        ],
        fine: &[
            "<?php\nnamespace App;\n$one = new Cart(1, 2);\n",
            "<?php\nnamespace App;\n$one = new Cart(...$many);\n",
            "<?php\nnamespace Web;\nuse Other\\Cart;\n$one = new Cart(1);\n",
            "<?php\nnamespace Web;\n$one = new Cart(1);\n",
        ],
    });
    holds(&Case {
        path: "src/cart.ts",
        old: "export class Cart {\n  constructor(private a: string) {}\n}\n",
        new: "export class Cart {\n  constructor(private a: string, b: number) {}\n}\n",
        other: "src/web.ts",
        stale: &["import { Cart } from './cart';\nexport const one = new Cart('a');\n"],
        fine: &[
            "import { Cart } from './cart';\nexport const one = new Cart('a', 1);\n",
            "import { Cart } from './other';\nexport const one = new Cart('a');\n",
            "import { Cart } from 'cart';\nexport const one = new Cart('a');\n",
        ],
    });
}

/// Overloads, defaults and any number of arguments take what was given.
#[test]
fn a_constructor_that_still_takes_it_has_none() {
    let java = "package shop;\nclass Web {\n    Cart one = new Cart(\"a\");\n}\n";
    let kotlin = "package shop\nfun run() = Cart(\"a\")\n";
    let csharp = "public class Web { public Cart One = new Cart(\"a\"); }\n";
    let python = "from cart import Cart\n\none = Cart(1)\n";
    let of = |inner: &str| format!("package shop;\npublic class Cart {{\n    {inner}\n}}\n");
    let old = of("public Cart(String a) {}");
    for new in [
        "public Cart(String a, int b) {}\n    public Cart(String a) {}",
        "public Cart(String... all) {}",
        "public Cart(Object a) {}",
    ] {
        assert_eq!(must_fix("src/Cart.java", &old, &of(new), "src/Web.java", java), None, "{new}");
    }
    let gone = must_fix("src/Cart.java", &old, &of("int b;"), "src/Web.java", java).unwrap_or_default();
    assert!(gone.contains("still calls it with 1 argument"), "{gone}");
    let made = format!(
        "package shop;\nimport lombok.AllArgsConstructor;\n@AllArgsConstructor\n{}",
        &of("String b;")[14..]
    );
    assert_eq!(must_fix("src/Cart.java", &old, &made, "src/Web.java", java), None, "Lombok writes one");
    for new in [
        "class Cart(val a: String, val b: Int = 1)",
        "class Cart(vararg val all: String)",
        "class Cart(val b: Int, val c: Int) {\n    constructor(a: String) : this(1, 2)\n}",
    ] {
        let new = format!("package shop\n{new}\n");
        assert_eq!(
            must_fix("src/Cart.kt", "package shop\nclass Cart(val a: String)\n", &new, "src/Web.kt", kotlin),
            None,
            "{new}"
        );
    }
    for new in ["public Cart(string a, int b = 1) { }", "public Cart(params string[] all) { }"] {
        let of = |inner: &str| format!("public class Cart {{\n    {inner}\n}}\n");
        assert_eq!(
            must_fix("src/Cart.cs", &of("public Cart(string a) { }"), &of(new), "src/Web.cs", csharp),
            None,
            "{new}"
        );
    }
    for new in ["(self, a, b=1)", "(self, *all)", "(self, a, *, b=None)"] {
        let of = |list: &str| format!("class Cart:\n    def __init__{list}:\n        pass\n");
        assert_eq!(must_fix("src/cart.py", &of("(self, a)"), &of(new), "src/web.py", python), None, "{new}");
    }
    let other = "class Cart:\n    def __new__(cls, *all):\n        return object.__new__(cls)\n\n    def __init__(self, a, b):\n        pass\n";
    let old = other.replace("a, b", "a");
    assert_eq!(must_fix("src/cart.py", &old, other, "src/web.py", python), None);
}

#[test]
fn records_are_made_by_all_they_hold() {
    let java = "package shop;\nclass Web {\n    Cart one = new Cart(1);\n}\n";
    let (old, new) = (
        "package shop;\npublic record Cart(int a) {}\n",
        "package shop;\npublic record Cart(int a, int b) {}\n",
    );
    assert!(must_fix("src/Cart.java", old, new, "src/Web.java", java).is_some());
    let both =
        "package shop;\npublic record Cart(int a, int b) {\n    public Cart(int a) { this(a, 1); }\n}\n";
    assert_eq!(must_fix("src/Cart.java", old, both, "src/Web.java", java), None);
    let csharp = "public class Web { public Cart One = new Cart(1); }\n";
    let (old, new) = ("public record Cart(int A);\n", "public record Cart(int A, int B);\n");
    assert!(must_fix("src/Cart.cs", old, new, "src/Web.cs", csharp).is_some());
    assert_eq!(
        must_fix("src/Cart.cs", old, "public record Cart(int A, int B = 1);\n", "src/Web.cs", csharp),
        None
    );
}

#[test]
fn what_belongs_to_a_type_is_called_by_its_name() {
    for path in ["src/cart.hpp", "src/cart.h"] {
        let include = path.strip_prefix("src/").unwrap();
        let with = |user: &str| {
            let user = user.replace("cart.h", include);
            must_fix(
                path,
                "class Cart {\npublic:\n    static int open(int a);\n    static int shut();\n};\n",
                "class Cart {\npublic:\n    static int open(int a, int b);\n};\n",
                "src/web.cpp",
                &user,
            )
        };
        assert!(with("#include \"cart.h\"\nint run() {\n    return Cart::open(1);\n}\n").is_some(), "{path}");
        assert!(with("#include \"cart.h\"\nint run() {\n    return Cart::shut();\n}\n").is_some(), "{path}");
        for fine in [
            "#include \"cart.h\"\nint run() {\n    return Cart::open(1, 2);\n}\n",
            "#include \"cart.h\"\nint run() {\n    return Basket::open(1);\n}\n",
            "#include \"cart.h\"\nint run() {\n    return MyCart::open(1);\n}\n",
            "#include \"basket.h\"\nint run() {\n    return Cart::open(1);\n}\n",
            "#include \"cart.h\"\nint run() {\n    return other::Cart::open(1);\n}\n",
        ] {
            assert_eq!(with(fine), None, "{path}: {fine}");
        }
    }
    let php = |new: &str, user: &str| {
        let old = "<?php\nnamespace App;\nclass Cart {\n    public static function open($a) { return 1; }\n    public static function shut() { return 1; }\n}\n";
        must_fix("src/Cart.php", old, new, "src/Web.php", user)
    };
    let new =
        "<?php\nnamespace App;\nclass Cart {\n    public static function open($a, $b) { return 1; }\n}\n";
    for stale in [
        "<?php\nnamespace App;\nCart::open(1);\n",
        "<?php\nnamespace Web;\nuse App\\Cart;\nCart::open(1);\n",
        "<?php\nnamespace Web;\nuse App\\Cart;\nCart::shut();\n",
        "<?php\nnamespace Web;\n\\App\\Cart::open(1);\n",
    ] {
        assert!(php(new, stale).is_some(), "{stale}");
    }
    for fine in [
        "<?php\nnamespace App;\nCart::open(1, 2);\n",
        "<?php\nnamespace Web;\nuse Other\\Cart;\nCart::open(1);\n",
        "<?php\nnamespace App;\nBasket::open(1);\n",
        "<?php\nnamespace Web;\nCart::open(1);\n",
    ] {
        assert_eq!(php(new, fine), None, "{fine}");
    }
    let above = "<?php\nnamespace App;\nclass Cart extends Basket {\n    public static function open($a) { return 1; }\n}\n";
    assert_eq!(php(above, "<?php\nnamespace App;\nCart::shut();\n"), None, "it may come from above");
    // What PHP is given too much of, it drops.
    let less = "<?php\nnamespace App;\nclass Cart {\n    public static function open() { return 1; }\n    public static function shut() { return 1; }\n}\n";
    assert_eq!(php(less, "<?php\nnamespace App;\nCart::open(1);\n"), None);
}

#[test]
fn what_the_change_moved_or_named_again_has_no_caller_left_behind() {
    let user = "package auth\n\nfunc run(s *Session) {}\n";
    let old = "package auth\n\ntype Session struct{}\n";
    let alias = "package auth\n\ntype Login struct{}\n\ntype Session = Login\n";
    assert_eq!(must_fix("auth/auth.go", old, alias, "auth/web.go", user), None);
    let moved = Scenario::changing("auth/auth.go", old, "package auth\n")
        .and_adding("auth/session.go", "package auth\n\ntype Session struct{}\n")
        .and_keeping("auth/web.go", user);
    assert!(!moved.findings("breaking-change").iter().any(|finding| finding.blocks(Severity::Major)));
}

/// What goes on by the name of a type that is gone, because another one is meant now.
#[test]
fn a_name_that_comes_from_elsewhere_now_is_no_caller_left_behind() {
    let blocks = |scenario: Scenario| {
        scenario.findings("breaking-change").iter().any(|finding| finding.blocks(Severity::Major))
    };
    let view = "#pragma once\nclass string_view {\npublic:\n  int size();\n};\nint area(int a);\n";
    let user = "#include \"view.h\"\nint length(string_view text) { return text.size(); }\n";
    for now in [
        "#pragma once\n#include <string_view>\nusing std::string_view;\nint area(int a);\n",
        "#pragma once\n#include <vendor/view.h>\nint area(int a);\n",
    ] {
        assert!(!blocks(Scenario::changing("view.h", view, now).and_keeping("user.cpp", user)), "{now}");
    }
    assert!(blocks(
        Scenario::changing("view.h", view, "#pragma once\nint area(int a);\n").and_keeping("user.cpp", user)
    ));

    let old = "namespace Shop;\npublic class Result { }\npublic class Cart { }\n";
    let new = "namespace Shop;\npublic class Cart { }\n";
    let before = "namespace Shop;\nclass Pay { Result Run() { return null; } }\n";
    let after = format!("using FluentResults;\n{before}");
    assert!(!blocks(Scenario::changing("Result.cs", old, new).and_changing("Pay.cs", before, &after)));
    assert!(blocks(Scenario::changing("Result.cs", old, new).and_keeping("Pay.cs", before)));

    let old = "package shop\n\nclass Result<T>(val value: T)\n\nclass Cart\n";
    let new = "package shop\n\nclass Cart\n";
    let user = "package shop\n\nfun pay(): Result<Int> = TODO()\n";
    assert!(!blocks(Scenario::changing("Result.kt", old, new).and_keeping("Pay.kt", user)));
}

#[test]
fn what_a_record_or_a_constructor_goes_on_offering_depends_on_the_language() {
    let told = |path: &str, old: &str, new: &str| {
        !Scenario::changing(path, old, new).findings("breaking-change").is_empty()
    };
    let record = "public record P(int x) { }\n";
    assert!(told("P.java", "public class P { public final int x = 1; }\n", record));
    assert!(told(
        "P.cs",
        "public class P { public int Total() { return 1; } }\n",
        "public record P(int Total);\n"
    ));
    assert!(told(
        "P.php",
        "<?php\nclass P { public function total() { return 1; } }\n",
        "<?php\nclass P { public function __construct(public int $total) {} }\n",
    ));
    assert!(!told(
        "P.php",
        "<?php\nclass P { public int $total; public function __construct(int $total) { $this->total = $total; } }\n",
        "<?php\nclass P { public function __construct(public int $total) {} }\n",
    ));
    let hidden =
        Scenario::changing("A.kt", "class A(val a: Int)\n", "class A private constructor(val a: Int)\n");
    let messages: Vec<String> =
        hidden.findings("breaking-change").into_iter().map(|one| one.message).collect();
    assert!(messages.iter().any(|message| message.contains("can no longer be called")), "{messages:?}");
    let made = Scenario::changing(
        "a.py",
        "class A:\n    def __init__(self, x, y):\n        self.x = x\n",
        "class A:\n    def __new__(cls, x, y):\n        return object.__new__(cls)\n",
    );
    assert!(made.findings("breaking-change").iter().all(|one| !one.message.contains("arity 0")));
}
