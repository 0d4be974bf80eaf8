use super::walk::Step;
use super::{Flow, HOLE, Origin, Use, Value, walk};
use crate::language::Language;

/// The value of the first argument of the first call of `sink`.
pub(super) fn sunk(language: Language, text: &str) -> Value {
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
fn values_stand_where_a_format_leaves_a_place_for_them() {
    for text in [
        "def f(a):\n    sink('https://%s/users' % a)\n",
        "def f(a):\n    sink('https://%s/%s' % (a, 'users'))\n",
        "def f(a):\n    sink('https://{}/{}'.format(a, 'users'))\n",
        "def f(a):\n    sink('https://{host}/users'.format(host=a))\n",
    ] {
        assert_eq!(python(text).text, format!("https://{HOLE}/users"), "{text}");
    }
}

#[test]
fn what_a_format_has_no_place_for_stands_behind_it() {
    assert_eq!(python("def f(a):\n    sink('50%% of {'.format(a))\n").text, format!("50%% of {{{HOLE}"));
    assert_eq!(python("def f(a):\n    sink('100%% %s' % a)\n").text, format!("100% {HOLE}"));
}

#[test]
fn a_check_of_the_beginning_holds_and_a_scheme_alone_does_not() {
    let checked = |check: &str| {
        let text = format!("def f():\n    a = request.args['a']\n    if {check}:\n        sink(a)\n");
        let value = python(&text);
        assert_eq!(value.origin, Origin::Tainted, "{check}");
        [Use::Path, Use::Address, Use::Other, Use::Code].map(|used| value.is_harmless_as(used))
    };
    // What follows the beginning is still anything to a shell.
    assert_eq!(checked("a.startswith(ROOT)"), [true, true, true, false]);
    assert_eq!(checked("os.path.abspath(a).startswith('/srv/')"), [true, true, true, false]);
    assert_eq!(checked("a.startswith('https://a.example/')"), [false, true, true, false]);
    assert_eq!(checked("a.startswith('https://')"), [false; 4]);
    assert_eq!(checked("other.startswith(a)"), [false; 4]);
}

#[test]
fn the_last_part_of_a_path_is_harmless_below_a_folder_and_not_in_a_command() {
    for (language, text) in [
        (Language::Python, "def f():\n    sink(os.path.basename(request.args['a']))\n"),
        (Language::Python, "from pathlib import Path\ndef f():\n    sink(Path(request.args['a']).name)\n"),
        (Language::JavaScript, "app.get('/', (req, res) => { sink('x ' + path.basename(req.query.a)); });"),
        (
            Language::Java,
            "class A { void f(HttpServletRequest request) { sink(FilenameUtils.getName(request.getParameter(\"a\"))); } }",
        ),
        (
            Language::Java,
            "class A { void f(HttpServletRequest request) { sink(Paths.get(request.getParameter(\"a\")).getFileName()); } }",
        ),
        (
            Language::Go,
            "package a\nimport \"path/filepath\"\nfunc f(r *http.Request) { sink(filepath.Base(r.FormValue(\"a\"))) }\n",
        ),
        (Language::Php, "<?php sink(\"x \" . basename($_GET['a']));"),
        (Language::Ruby, "def f\n  sink(File.basename(params[:a]))\nend\n"),
    ] {
        let value = sunk(language, text);
        assert_eq!(value.origin, Origin::Tainted, "{text}");
        let harmless = [Use::Path, Use::Other, Use::Code].map(|used| value.is_harmless_as(used));
        assert_eq!(harmless, [true, true, false], "{text}");
    }
    // With something beside it that was not cut.
    let text = "def f():\n    sink(os.path.join(request.args['b'], os.path.basename(request.args['a'])))\n";
    assert!(!python(text).is_harmless_as(Use::Path));
}

#[test]
fn without_a_step_up_a_value_is_harmless_as_a_path_alone() {
    let go = |check: &str| {
        let text = format!(
            "package a\nfunc f(r *http.Request) {{\n\ta := r.FormValue(\"a\")\n\tif {check} {{\n\t\treturn\n\t}}\n\tsink(\"x\" + strings.TrimPrefix(a, \"/\"))\n}}\n"
        );
        let value = sunk(Language::Go, &text);
        (value.origin, value.below)
    };
    assert_eq!(go("strings.Contains(a, \"..\")"), (Origin::Tainted, true));
    assert_eq!(go("!filepath.IsLocal(a)"), (Origin::Tainted, true));
    // A pattern leaves nothing to fear, whatever else is asked with it.
    assert_eq!(go("strings.Contains(a, \"..\") || !valid.MatchString(a)"), (Origin::Clean, true));
    assert_eq!(go("strings.Contains(a, \"%\")"), (Origin::Tainted, false));
    assert_eq!(go("!strings.Contains(a, \"b\")"), (Origin::Tainted, false));
    let python = |rest: &str| {
        let value = python(&format!(
            "def f():\n    a = request.args['a']\n    if '..' in a:\n        abort(400)\n    {rest}\n"
        ));
        (value.origin, value.below)
    };
    assert_eq!(python("sink('x' + a.split('/')[0])"), (Origin::Tainted, true));
    assert_eq!(python("sink(a + request.args['b'])"), (Origin::Tainted, false));
    let script = |value: &str| {
        let text = format!("app.get('/', (req, res) => {{ const a = req.query.a; sink({value}); }});");
        let value = sunk(Language::JavaScript, &text);
        (value.origin, value.below)
    };
    assert_eq!(script("a.replace(/\\.\\./g, '')"), (Origin::Tainted, true));
    assert_eq!(script("a.replace(/[^a-z]/g, '')"), (Origin::Clean, true));
    assert_eq!(script("a"), (Origin::Tainted, false));
}

#[test]
fn what_did_not_pass_a_check_may_be_replaced() {
    let text = "def f():\n    a = request.args['a']\n    if not is_valid(a):\n        a = '/'\n    sink(a)\n";
    assert_eq!(python(text).origin, Origin::Clean);
    let text = "def f():\n    a = request.args['a']\n    if not is_valid(a):\n        b = '/'\n    sink(a)\n";
    assert_eq!(python(text).origin, Origin::Tainted);
}

#[test]
fn a_check_of_the_host_holds() {
    for (check, harmless) in [
        ("not urlparse(a).netloc", true),
        ("urlparse(a).netloc == ''", true),
        ("urlparse(a).netloc in HOSTS", true),
        ("url_has_allowed_host_and_scheme(a)", true),
        ("urlparse(a).netloc", false),
        ("urlparse(a).netloc != ''", false),
    ] {
        let text = format!("def f():\n    a = request.args['a']\n    if {check}:\n        sink(a)\n");
        let value = python(&text);
        assert_eq!(value.is_harmless_as(Use::Address), harmless, "{check}");
        // Of the rest of it that says nothing.
        assert!(!value.is_harmless_as(Use::Code) && !value.is_harmless_as(Use::Path), "{check}");
    }
    for (check, harmless) in [("isValidHostname", true), ("isSafeUrl", false)] {
        let text = format!("function f(a) {{ if (!{check}(a)) {{ return; }} sink('ping ' + a); }}");
        assert_eq!(sunk(Language::JavaScript, &text).is_harmless_as(Use::Code), harmless, "{check}");
    }
    let itself = "def f():\n    a = request.args['a']\n    if a in settings.hosts:\n        sink(a)\n";
    assert!(python(itself).is_harmless_as(Use::Code));
}

#[test]
fn what_is_written_as_a_number_is_one() {
    assert_eq!(python("def f(a):\n    sink('select %d' % a)\n").origin, Origin::Clean);
    assert_eq!(python("def f(a):\n    sink('select %s' % a)\n").origin, Origin::Parameter);
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
            Language::Go,
            "package a\nimport \"encoding/json\"\nfunc f(w http.ResponseWriter, r *http.Request) {\n\tvar o Order\n\tjson.NewDecoder(r.Body).Decode(&o)\n\tsink(\"x \" + o.Name)\n}\n",
        ),
        (
            Language::Go,
            "package a\nfunc f(c *gin.Context) {\n\tvar o Order\n\tc.BindJSON(&o)\n\tsink(\"x \" + o.Name)\n}\n",
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

/// The type of the first argument of the first call of `sink`.
fn type_sunk(language: Language, text: &str) -> String {
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
    flow.type_of(found.expect("a call of sink"))
}

#[test]
fn a_variable_is_of_the_type_it_was_declared_or_made_with() {
    for (language, text, expected) in [
        (Language::Python, "import requests as r\ns = r.Session()\nsink(s)\n", "requests.Session()"),
        (Language::Python, "with tarfile.open(p) as t:\n    sink(t)\n", "tarfile.open()"),
        (Language::Python, "def f(c: Client):\n    sink(c)\n", "Client"),
        (Language::Java, "class A { void f(HttpSession s) { sink(s); } }", "HttpSession"),
        (Language::Java, "class A { private Pool pool; void f() { sink(pool); } }", "Pool"),
        (
            Language::Java,
            "class A { void f() { var r = Runtime.getRuntime(); sink(r); } }",
            "Runtime.getRuntime()",
        ),
        (Language::Java, "class A { void f() { sink(new java.net.URL(a)); } }", "URL()"),
        (Language::Go, "package a\nfunc f() {\n\tc := &http.Client{}\n\tsink(c)\n}\n", "http.Client()"),
        (Language::Go, "package a\nfunc f(w http.ResponseWriter) {\n\tsink(w)\n}\n", "http.ResponseWriter"),
        (Language::TypeScript, "function f(p: Pool) { sink(p); }", "Pool"),
        (Language::JavaScript, "function f(p) { sink(p); }", ""),
    ] {
        assert_eq!(type_sunk(language, text), expected, "{text}");
    }
}

#[test]
fn a_value_that_passed_a_check_is_harmless() {
    for text in [
        "def f(a):\n    if a in ALLOWED:\n        sink('x' + a)\n",
        "def f(a):\n    if a not in ('b', 'c'):\n        return None\n    sink('x' + a)\n",
        "def f(a):\n    if not re.fullmatch('[a-z]+', a):\n        raise ValueError(a)\n    sink('x' + a)\n",
        "def f(a):\n    sink('x' + (a if a in ALLOWED else 'b'))\n",
        "def f(a):\n    if a == 'b' or a == 'c':\n        sink('x' + a)\n",
        "def f(a):\n    if a.isalnum():\n        sink('x' + a)\n",
    ] {
        assert!(!python(text).is_dynamic(), "{text}");
    }
    for (language, text) in [
        (Language::JavaScript, "function f(a) { if (!allowed.includes(a)) { return; } sink('x' + a); }"),
        (Language::JavaScript, "function f(a) { if (/^[a-z]+$/.test(a)) { sink('x' + a); } }"),
        (Language::Java, "class A { void f(String a) { if (ALLOWED.contains(a)) { sink(\"x\" + a); } } }"),
        (
            Language::Go,
            "package a\nfunc f(a string) {\n\tif !slices.Contains(allowed, a) {\n\t\treturn\n\t}\n\tsink(\"x\" + a)\n}\n",
        ),
    ] {
        assert!(!sunk(language, text).is_dynamic(), "{text}");
    }
}

#[test]
fn other_conditions_are_no_checks() {
    for text in [
        "def f(a):\n    if a:\n        sink('x' + a)\n",
        "def f(a):\n    if 'b' in a:\n        sink('x' + a)\n",
        "def f(a):\n    if a in ALLOWED:\n        pass\n    sink('x' + a)\n",
        "def f(a):\n    if a not in ALLOWED:\n        log(a)\n    sink('x' + a)\n",
        "def f(a, b):\n    if b in ALLOWED:\n        sink('x' + a)\n",
        "def f(a):\n    if a in ALLOWED or a:\n        sink('x' + a)\n",
        "def f(a):\n    if a in ALLOWED:\n        return None\n    sink('x' + a)\n",
    ] {
        assert!(python(text).is_dynamic(), "{text}");
    }
}

#[test]
fn a_promise_of_a_function_is_called_like_the_function() {
    let text = "const { exec } = require('child_process');\nconst run = util.promisify(exec);\nrun(a);\n";
    let grammar = crate::data::Grammar::of(Language::JavaScript, "").unwrap();
    let tree = crate::data::parse(grammar, text.as_bytes()).unwrap();
    let flow = Flow::new(tree.root_node(), text.as_bytes(), Language::JavaScript);
    let mut called = Vec::new();
    walk(tree.root_node(), |node| {
        called.extend(super::Invocation::of(node).map(|call| flow.name_of(call.callee)));
        Step::Into
    });
    assert!(called.contains(&"child_process.exec".to_owned()), "{called:?}");
}

#[test]
fn a_buffer_that_was_filled_is_not_constant() {
    let filled = "class A { void f() { byte[] a = new byte[16]; random.nextBytes(a); sink(a); } }";
    assert!(sunk(Language::Java, filled).is_dynamic());
    let empty = "class A { void f() { byte[] a = new byte[16]; sink(a); } }";
    assert_eq!(sunk(Language::Java, empty).origin, Origin::Constant);
}

#[test]
fn imports_are_found_wherever_a_language_allows_them() {
    for (language, text) in [
        (Language::Python, "def f():\n    x = g(1)\n    if x:\n        import subprocess\n    return x\n"),
        (Language::Python, "x = f(\nimport subprocess\n"),
        (Language::JavaScript, "function f() { const { exec } = require('subprocess'); }\n"),
        (Language::TypeScript, "class A { async f() { const x = await import('subprocess'); } }\n"),
        (Language::Go, "package a\nimport (\n\t\"subprocess\"\n)\nfunc f() {}\n"),
        (Language::Java, "package a;\nimport subprocess.B;\nclass A { void f() {} }\n"),
    ] {
        let grammar = crate::data::Grammar::of(language, "").unwrap();
        let tree = crate::data::parse(grammar, text.as_bytes()).unwrap();
        let flow = Flow::new(tree.root_node(), text.as_bytes(), language);
        assert!(flow.imports("subprocess"), "{text}");
    }
}

#[test]
fn values_of_compiled_languages_are_followed() {
    for (language, text) in [
        (Language::Rust, "fn f(name: &str) { let q = format!(\"rm {}\", name); sink(&q); }\n"),
        (
            Language::Rust,
            "fn f(name: String) { let mut q = String::from(\"rm \"); q.push_str(&name); sink(q); }\n",
        ),
        (Language::C, "void f(const char *name) { char q[9]; sprintf(q, \"rm %s\", name); sink(q); }\n"),
        (Language::C, "void f(char *name) { char q[9] = \"rm \"; strcat(q, name); sink(q); }\n"),
        (
            Language::Cpp,
            "void f(const std::string& name) { std::string q = \"rm \" + name; sink(q.c_str()); }\n",
        ),
        (Language::Kotlin, "fun f(name: String) {\n    val q = \"rm $name\"\n    sink(q)\n}\n"),
        (Language::Kotlin, "fun f(name: String) {\n    sink(\"rm \" + name.trim())\n}\n"),
    ] {
        let value = sunk(language, text);
        assert!(value.built && value.is_dynamic() && value.text.starts_with("rm "), "{text}: {value:?}");
    }
}

#[test]
fn numbers_and_constants_of_compiled_languages_are_harmless() {
    for (language, text) in [
        (Language::Rust, "fn f(id: u64) { sink(&format!(\"rm {id}\")); }\n"),
        (Language::Rust, "const A: &str = \"a\"; fn f() { sink(&format!(\"rm {A}\")); }\n"),
        (Language::Rust, "fn f(all: &[u8]) { sink(&format!(\"rm {}\", all.len())); }\n"),
        (Language::C, "void f(int id) { char q[9]; sprintf(q, \"rm %d\", id); sink(q); }\n"),
        (Language::Cpp, "void f(int id) { sink(\"rm \" + std::to_string(id)); }\n"),
        (Language::Kotlin, "fun f(id: Int) {\n    sink(\"rm $id\")\n}\n"),
        (Language::Kotlin, "fun f(x: String) {\n    sink(\"costs 5$\")\n}\n"),
    ] {
        assert!(!sunk(language, text).is_dynamic(), "{text}: {:?}", sunk(language, text));
    }
}

#[test]
fn what_a_type_leaves_no_choice_about_is_clean() {
    const KIND: &str = "import enum\nclass Kind(str, enum.Enum):\n    A = 'a'\n@app.get('/')\n";
    for parameters in [
        "n: int",
        "n: Optional[int]",
        "n: int | None = None",
        "n: Annotated[int, Path(ge=1)]",
        "n: Annotated[list[int], Query()]",
        "n: Literal['a', 'b']",
        "n: Kind",
        "n: Annotated[Kind, Query(description='a, b')]",
        "n: datetime.date",
    ] {
        let text = format!("{KIND}def f({parameters}):\n    sink(f'x {{n}}')\n");
        assert_eq!(python(&text).origin, Origin::Clean, "{text}");
    }
    for parameters in ["n: str", "n: Annotated[str, Query()]", "n: Item", "n", "n: str | None"] {
        let text = format!("{KIND}def f({parameters}):\n    sink(f'x {{n}}')\n");
        assert_eq!(python(&text).origin, Origin::Tainted, "{text}");
    }
    let text = format!("{KIND}def f(kind: Kind):\n    sink(kind.value)\n");
    assert_eq!(python(&text).origin, Origin::Clean, "{text}");
    for (kind, origin) in [("int", Origin::Clean), ("uuid.UUID", Origin::Clean), ("str", Origin::Tainted)] {
        let text = format!("def f():\n    sink(request.args.get('n', 1, type={kind}))\n");
        assert_eq!(python(&text).origin, origin, "{text}");
    }
}

#[test]
fn what_a_model_passes_to_a_tool_comes_from_outside() {
    let tool = "from mcp.server.fastmcp import FastMCP\n@mcp.tool()\ndef f(name: str):\n    sink(name)\n";
    assert_eq!(python(tool).origin, Origin::Tainted);
    let other = "@kit.tool()\ndef f(name: str):\n    sink(name)\n";
    assert_eq!(python(other).origin, Origin::Parameter);
    let sdk = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\n";
    let handler = "server.tool('a', {}, async ({ url }) => { sink(url); });\n";
    assert_eq!(sunk(Language::TypeScript, &format!("{sdk}{handler}")).origin, Origin::Tainted);
    assert_eq!(sunk(Language::TypeScript, handler).origin, Origin::Parameter);
}
