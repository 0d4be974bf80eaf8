//! Promises that are no names of a program: features and routes.

use domain::words::Severity;

use crate::support::Scenario;

#[test]
fn features_are_promises() {
    let said = |old: &str, new: &str| {
        let text = |features: &str| format!("[package]\nname = \"a\"\n[features]\n{features}");
        let findings = Scenario::changing("Cargo.toml", &text(old), &text(new)).findings("breaking-change");
        findings.iter().map(|finding| finding.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(said("x = []\n", "y = []\n"), ["x feature was removed"]);
    assert_eq!(
        said("default = [\"x\"]\nx = []\n", "default = []\nx = []\n"),
        ["default feature no longer enables x"]
    );
    assert_eq!(said("x = [\"y\"]\ny = []\n", "x = []\ny = []\n"), ["x feature no longer enables y"]);
    for (old, new) in [
        ("x = []\n", "x = []\ny = []\n"),
        ("default = [\"x\"]\nx = []\n", "default = [\"y\"]\ny = [\"x\"]\nx = []\n"),
        ("x = []\n", "[dependencies]\nx = { version = \"1\", optional = true }\n"),
    ] {
        assert!(said(old, new).is_empty(), "{new}");
    }
}

#[test]
fn what_no_module_lets_out_is_no_promise() {
    let (old, new) = ("pub fn start() {}\n", "pub(crate) fn start() {}\n");
    let blocks = |path: &str, around: &[(&str, &str)]| {
        let manifest = ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"1.2.0\"\n");
        let scenario = around
            .iter()
            .chain([&manifest])
            .fold(Scenario::changing(path, old, new), |all, (path, text)| all.and_keeping(path, text));
        scenario.findings("breaking-change").iter().any(|finding| finding.blocks(Severity::Major))
    };
    let path = "src/debug/inner.rs";
    let glob = ("src/lib.rs", "mod debug;\npub use self::debug::*;\n");
    assert!(!blocks(path, &[glob, ("src/debug/mod.rs", "mod inner;\npub fn trace() {}\n")]));
    assert!(blocks(path, &[glob, ("src/debug/mod.rs", "pub mod inner;\n")]));
    assert!(blocks(path, &[glob, ("src/debug/mod.rs", "mod inner;\npub use inner::start;\n")]));
    let deep = ("src/lib.rs", "mod debug;\npub use self::debug::inner::*;\n");
    assert!(blocks(path, &[deep, ("src/debug/mod.rs", "mod inner;\n")]));
    let of_the_crate =
        "mod select;\n\n/// For macros.\npub mod internal {\n    pub use crate::select::start;\n}\n";
    let select = "src/select.rs";
    assert!(!blocks(select, &[("src/lib.rs", of_the_crate)]));
    assert!(!blocks(select, &[("src/lib.rs", &of_the_crate.replace("internal", "__private"))]));
    assert!(blocks(select, &[("src/lib.rs", &of_the_crate.replace("internal", "api"))]));
}

#[test]
fn routes_are_promises() {
    let said = |path: &str, old: &str, new: &str| {
        let findings = Scenario::changing(path, old, new).findings("breaking-change");
        let routes = findings.into_iter().filter(|finding| finding.message.contains(" route "));
        routes.map(|finding| finding.message).collect::<Vec<_>>()
    };
    for (path, old, name) in [
        ("a.py", "@app.route('/users')\ndef _f(): pass\n", "GET /users"),
        ("a.py", "@router.get(\"/users/{id}\")\ndef _f(): pass\n", "GET /users/{id}"),
        ("urls.py", "urlpatterns = [\n    path('users/', view),\n]\n", "users/"),
        ("a.js", "app.get('/users', (req, res) => {});\n", "GET /users"),
        ("a.ts", "userRouter.delete('/users/:id', remove);\n", "DELETE /users/:id"),
        ("A.java", "class A {\n    @GetMapping(\"/users\")\n    void f() {}\n}\n", "GET /users"),
        ("a.go", "package p\n\nfunc f() {\n\tr.GET(\"/users\", g)\n}\n", "GET /users"),
        ("src/a.rs", "fn f() {\n    Router::new().route(\"/users\", get(g));\n}\n", "GET /users"),
        ("src/a.rs", "#[get(\"/users\")]\nasync fn f() {}\n", "GET /users"),
        ("a.cs", "class A {\n    [HttpGet(\"users\")]\n    void F() {}\n}\n", "GET users"),
        ("a.php", "<?php\nRoute::get('/users', 'f');\n", "GET /users"),
        ("a.rb", "get '/users', to: 'f'\n", "GET /users"),
    ] {
        let gone = old.replace("users", "people");
        assert_eq!(said(path, old, &gone), [format!("{name} route was removed")], "{path} {old}");
        let kept = format!("{old}\n\n");
        assert!(said(path, old, &kept).is_empty(), "{path} {old}");
        let moved = Scenario::changing(path, old, "\n").and_adding(&format!("b/{path}"), old);
        assert!(!moved.findings("breaking-change").iter().any(|finding| finding.message.contains(" route ")));
    }
    for (path, old) in [
        ("a.py", "# @app.route('/users')\n"),
        ("a.js", "client.fetch('/users', 1);\n"),
        ("a.js", "// app.get('/users', f);\n"),
        ("a.go", "package p\n\nvar x = \"/users\"\n"),
        ("tests/a.py", "@app.route('/users')\ndef _f(): pass\n"),
    ] {
        assert!(said(path, old, "\n").is_empty(), "{path} {old}");
    }
}
