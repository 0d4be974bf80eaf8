use super::walk::Step;
use super::{Flow, HOLE, Origin, Value, walk};
use crate::language::Language;

/// The value of the first argument of the first call of `sink`.
fn sunk(language: Language, text: &str) -> Value {
    let grammar = crate::data::Grammar::of(language, "").unwrap();
    let tree = crate::data::parse(grammar, text.as_bytes()).unwrap();
    let flow = Flow::new(tree.root_node(), text.as_bytes(), language);
    let mut found = None;
    walk(tree.root_node(), |node| {
        if let Some(call) = super::Invocation::of(node)
            && flow.name_of(call.callee).ends_with("sink")
        {
            found = call.at(0);
        }
        Step::Into
    });
    flow.value(found.expect("a call of sink"))
}

fn python(text: &str) -> Value {
    sunk(Language::Python, text)
}

#[test]
fn texts_of_constants_are_constant() {
    for text in [
        "sink('a' + 'b')\n",
        "T = 'users'\ndef f():\n    q = f'select * from {T}'\n    sink(q)\n",
        "def f():\n    q = 'select '\n    q += 'a'\n    sink(q)\n",
        "def f(n):\n    sink('in (' + ','.join('?' * n) + ')')\n",
        "def f(ids):\n    marks = ', '.join('%s' for _ in ids)\n    sink('in (' + marks + ')')\n",
    ] {
        let value = python(text);
        assert_eq!((value.origin, value.built), (Origin::Constant, false), "{text}: {value:?}");
    }
}

#[test]
fn what_comes_from_outside_is_followed() {
    for text in [
        "def f():\n    a = request.args.get('a')\n    b = a.strip()\n    sink('x' + b)\n",
        "def f(request):\n    sink(f\"x {request.GET['a']}\")\n",
        "@app.route('/<name>')\ndef f(name):\n    sink('hello %s' % name)\n",
        "def handler(event, context):\n    sink('a {}'.format(event['b']))\n",
        "from flask import request as rq\ndef f():\n    x = []\n    x.append(flask.request.form['a'])\n    sink(x)\n",
    ] {
        assert_eq!(python(text).origin, Origin::Tainted, "{text}");
    }
}

#[test]
fn what_the_user_of_the_program_writes_is_no_request() {
    for text in ["sink(input())\n", "import sys\nsink('a' + sys.argv[1])\n"] {
        assert_eq!(python(text).origin, Origin::Local, "{text}");
    }
}

#[test]
fn what_makes_it_harmless_is_seen() {
    for text in [
        "def f():\n    a = int(request.args['a'])\n    sink('x %d' % a)\n",
        "import shlex\ndef f():\n    sink('ls ' + shlex.quote(input()))\n",
        "def f():\n    a = request.args['a']\n    a = int(a)\n    sink(a)\n",
        "ORDERS = {'a': 'x', 'b': 'y'}\ndef f():\n    sink('order by ' + ORDERS[request.args['o']])\n",
        "@app.route('/<int:n>')\ndef f(n: int):\n    sink('x' + str(n))\n",
    ] {
        assert!(python(text).origin <= Origin::Clean, "{text}: {:?}", python(text));
    }
}

#[test]
fn a_branch_may_or_may_not_have_run() {
    let text = "def f(a):\n    x = 'b'\n    if a:\n        x = a\n    sink(x)\n";
    assert_eq!(python(text).origin, Origin::Parameter);
}

#[test]
fn the_constant_parts_of_a_built_text_are_kept() {
    let value = python("def f(a):\n    q = 'select * from t where a = ' + a\n    sink(q)\n");
    assert!(value.built);
    assert_eq!(value.text, format!("select * from t where a = {HOLE}"));
}

#[test]
fn other_languages_are_followed_too() {
    for (language, text) in [
        (
            Language::JavaScript,
            "app.get('/', (req, res) => { const {a} = req.query; const b = `x ${a}`; sink(b); });",
        ),
        (
            Language::TypeScript,
            "function f(req: Request) { const a: string = req.body.a as string; sink('x' + a); }",
        ),
        (
            Language::Go,
            "package a\nfunc f(w http.ResponseWriter, r *http.Request) {\n\ta := r.URL.Query().Get(\"a\")\n\tq := fmt.Sprintf(\"x %s\", a)\n\tsink(q)\n}\n",
        ),
        (
            Language::Java,
            "class A { void f(HttpServletRequest request) { String a = request.getParameter(\"a\"); String q = \"x \" + a; sink(q); } }",
        ),
        (
            Language::Java,
            "class A { void f(@RequestParam String a) { StringBuilder b = new StringBuilder(\"x \"); b.append(a); sink(b.toString()); } }",
        ),
    ] {
        let value = sunk(language, text);
        assert_eq!((value.origin, value.built), (Origin::Tainted, true), "{text}: {value:?}");
    }
}

#[test]
fn other_languages_know_their_constants() {
    for (language, text) in [
        (Language::JavaScript, "const T = 'users'; function f() { sink(`select * from ${T}`); }"),
        (Language::TypeScript, "function f(n: number) { sink('limit ' + n); }"),
        (Language::Go, "package a\nconst t = \"users\"\nfunc f() {\n\tsink(\"select * from \" + t)\n}\n"),
        (
            Language::Java,
            "class A { static final String T = \"users\"; void f() { sink(\"select * from \" + T); } }",
        ),
    ] {
        let value = sunk(language, text);
        assert!(value.origin <= Origin::Clean, "{text}: {value:?}");
    }
}

#[test]
fn endless_code_ends() {
    let text = format!("def f(a):\n    sink({}a{})\n", "(".repeat(900), ")".repeat(900));
    assert!(python(&text).origin >= Origin::Constant);
    let chain: String = (0..3_000).map(|n| format!("    a{} = a{n} + a{n}\n", n + 1)).collect();
    assert!(python(&format!("def f(a0):\n{chain}    sink(a3000)\n")).is_dynamic());
}
