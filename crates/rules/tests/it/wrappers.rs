//! Libraries that are used past the project's own way to them.

use crate::support::{NOTHING, Scenario};

#[test]
fn a_library_beside_the_wrapper_for_it_is_reported() {
    for (path, wrapper, library) in [
        ("a.py", "from .http_client import get\n", "import requests\n"),
        ("a.py", "from app.db import session\n", "from psycopg2 import connect\n"),
        ("a.py", "from ..logger import log\n", "import structlog\n"),
        ("a.js", "import { get } from './http-client';\n", "import axios from 'axios';\n"),
        ("a.js", "const log = require('../logger');\n", "const pino = require('pino');\n"),
        ("a.js", "import db from '@/lib/db';\n", "import pg from 'pg';\n"),
        ("a.ts", "import { api } from '../api';\n", "import axios from 'axios';\n"),
        ("a.ts", "import { logger } from './utils/logger';\n", "import winston from 'winston';\n"),
        ("a.ts", "import { db } from '~/database';\n", "import { Pool } from 'pg';\n"),
    ] {
        let new = format!("{wrapper}{library}");
        assert_eq!(Scenario::changing(path, wrapper, &new).lines("wrapper-bypassed"), [2], "{new}");
    }
}

/// A new file that imports a library, beside files that import something else.
fn beside(path: &str, library: &str, others: &[&str]) -> Vec<u32> {
    let name = |n: usize| format!("app/old{n}.{}", path.rsplit('.').next().unwrap());
    let scenario = Scenario::adding(path, library);
    let scenario = others.iter().enumerate().fold(scenario, |all, (n, text)| all.and_keeping(&name(n), text));
    scenario.lines("wrapper-bypassed")
}

#[test]
fn a_library_where_the_files_beside_have_a_wrapper_is_reported() {
    for (path, wrapper, library) in [
        ("app/new.py", "from .http_client import get\n", "import requests\n"),
        ("app/new.py", "from app import http_client\n", "import requests\n"),
        ("app/new.rs", "use crate::http_client::get;\n", "fn a() { reqwest::blocking::get(\"/a\"); }\n"),
        ("app/new.js", "import { get } from './http-client';\n", "import axios from 'axios';\n"),
        ("app/new.ts", "import { db } from '../db';\n", "import { Pool } from 'pg';\n"),
        ("app/new.rs", "use crate::http_client;\n", "use reqwest::blocking;\n"),
        ("app/new.java", "import lib.HttpClientWrapper;\n", "import okhttp3.OkHttpClient;\n"),
        (
            "app/new.go",
            "package app\nimport \"example.com/m/logger\"\n",
            "import \"github.com/sirupsen/logrus\"\n",
        ),
    ] {
        assert_eq!(beside(path, library, &[wrapper, wrapper, wrapper, ""]), [1], "{path}");
        assert_eq!(beside(path, library, &[wrapper, "", ""]), NOTHING, "{path}");
        assert_eq!(beside(path, library, &[wrapper, wrapper, wrapper, library]), NOTHING, "{path}");
        let own = match path {
            path if path.ends_with("ts") => "db.",
            path if path.ends_with("go") => "logger.",
            _ => "http_client.",
        };
        let itself = path.replace("new.", own);
        assert_eq!(beside(&itself, library, &[wrapper, wrapper, wrapper]), NOTHING, "{itself}");
    }
}

#[test]
fn other_libraries_beside_other_wrappers_are_reported() {
    for (path, wrapper, library) in [
        ("app/new.rs", "use crate::db;\n", "use rusqlite::Connection;\n"),
        ("app/new.rs", "use crate::http_client;\n", "use ureq::get;\n"),
        ("app/new.java", "import lib.Database;\n", "import java.sql.Connection;\n"),
        ("app/new.java", "import lib.HttpClientWrapper;\n", "import org.apache.http.HttpHost;\n"),
        ("app/new.go", "package app\nimport \"example.com/m/db\"\n", "import \"database/sql\"\n"),
        ("app/new.go", "package app\nimport \"example.com/m/logger\"\n", "import \"go.uber.org/zap\"\n"),
        ("app/new.py", "from .db import session\n", "import psycopg2\n"),
        ("app/new.js", "import log from './logger';\n", "import pino from 'pino';\n"),
        ("app/new.ts", "import { get } from './http-client';\n", "import axios from 'axios';\n"),
    ] {
        assert_eq!(beside(path, library, &[wrapper, wrapper, wrapper]), [1], "{path}: {library}");
    }
}

#[test]
fn a_module_of_the_own_package_is_a_wrapper_too() {
    let wrapper = "from ledger.http_client import get_json\n";
    let new = format!("{wrapper}import requests\n");
    let rule = "wrapper-bypassed";
    assert_eq!(Scenario::changing("src/ledger/rates.py", wrapper, &new).lines(rule), [2]);
    assert_eq!(Scenario::changing("src/other/rates.py", wrapper, &new).lines(rule), NOTHING);
    let helper = "from ledger.money import round_up\n";
    let new = format!("{helper}import requests\n");
    assert_eq!(Scenario::changing("src/ledger/rates.py", helper, &new).lines(rule), NOTHING);
}

#[test]
fn the_wrapper_itself_beside_the_others_is_no_habit() {
    let wrapper = "from . import http_client\n";
    let scenario = Scenario::adding("app/new.py", "import requests\n")
        .and_keeping("app/http_client.py", "import requests\n")
        .and_keeping("app/a.py", wrapper)
        .and_keeping("app/b.py", wrapper)
        .and_keeping("app/c.py", wrapper);
    assert_eq!(scenario.lines("wrapper-bypassed"), [1]);
}

#[test]
fn a_library_without_a_wrapper_or_that_was_there_is_fine() {
    for (path, old, new) in [
        ("a.py", "import os\n", "import os\nimport requests\n"),
        (
            "a.py",
            "from .http_client import get\nimport requests\n",
            "from .http_client import get\nimport requests\nx = 1\n",
        ),
        ("a.py", "from .http_client import get\n", "from .http_client import get\nimport json\n"),
        ("a.js", "import x from './x';\n", "import x from './x';\nimport axios from 'axios';\n"),
        (
            "a.js",
            "import { get } from 'http-client';\n",
            "import { get } from 'http-client';\nimport axios from 'axios';\n",
        ),
        ("a.js", "import { get } from './http';\n", "import { get } from './http';\nimport pg from 'pg';\n"),
        ("a.ts", "import { A } from './a';\n", "import { A } from './a';\nimport axios from 'axios';\n"),
        (
            "a.ts",
            "import { l } from './catalog';\n",
            "import { l } from './catalog';\nimport pino from 'pino';\n",
        ),
        ("a.ts", "import { db } from './db';\n", "import { db } from './db';\nimport { z } from 'zod';\n"),
    ] {
        assert_eq!(Scenario::changing(path, old, new).lines("wrapper-bypassed"), NOTHING, "{new}");
    }
}

/// A file whose functions all go by way of one, and a new function at its end.
fn by_way(path: &str, wrapper: &str, call: &str, new: &str) -> Vec<u32> {
    let function = |name: &str, body: &str| match path.rsplit('.').next().unwrap() {
        "py" => format!("def {name}(a):\n    {body}\n"),
        "rs" => format!("fn {name}(a: &str) {{\n    {body};\n}}\n"),
        "go" => format!("func {name}(a string) {{\n\t{body}\n}}\n"),
        "java" => format!("    void {name}(String a) {{\n    {body};\n    }}\n"),
        _ => format!("function {name}(a) {{\n  {body};\n}}\n"),
    };
    let users: String = ["one", "two", "three"].iter().map(|name| function(name, call)).collect();
    let (open, close) = if path.ends_with("java") { ("class A {\n", "}\n") } else { ("", "") };
    let old = format!("{open}{wrapper}{users}{close}");
    let new = format!("{open}{wrapper}{users}{}{close}", function("four", new));
    let at = u32::try_from(new.lines().count()).unwrap();
    let lines = Scenario::changing(path, &old, &new).lines("wrapper-bypassed");
    lines.into_iter().map(|line| at - line).collect()
}

#[test]
fn going_past_a_function_that_the_rest_of_the_file_goes_by_is_reported() {
    let python = "def load(path):\n    return requests.get(BASE + path, timeout=3)\n";
    let script = "function load(path) {\n  return fetch(path, { headers });\n}\n";
    let rust = "fn git(word: &str) -> Command {\n    let mut c = Command::new(\"git\");\n    c.arg(word);\n    c\n}\n";
    let go = "func load(path string) {\n\thttp.NewRequest(\"GET\", path, nil)\n}\n";
    let git = "func git(word string) {\n\texec.CommandContext(ctx, \"git\", word)\n}\n";
    let java = "    Connection open(String to) {\n    return DriverManager.getConnection(to);\n    }\n";
    for (path, wrapper, call, new, expected) in [
        ("a.py", python, "load(a)", "return requests.post(a)", vec![0]),
        ("a.js", script, "load(a)", "return fetch(a)", vec![1]),
        ("a.ts", script, "load(a)", "return fetch(a)", vec![1]),
        ("a.rs", rust, "git(a)", "Command::new(\"git\").arg(a)", vec![1]),
        ("a.go", go, "load(a)", "http.NewRequest(\"GET\", a, nil)", vec![1]),
        ("a.java", java, "open(a)", "DriverManager.getConnection(a)", vec![2]),
        ("a.go", git, "git(a)", "exec.CommandContext(ctx, \"git\", a)", vec![1]),
        ("a.go", git, "git(a)", "exec.CommandContext(ctx, \"tar\", a)", vec![]),
        // Another program, another library, the wrapper itself, and something that leads nowhere.
        ("a.rs", rust, "git(a)", "Command::new(\"tar\").arg(a)", vec![]),
        ("a.py", python, "load(a)", "return subprocess.run(a)", vec![]),
        ("a.js", script, "load(a)", "return load(a)", vec![]),
        ("a.ts", script, "load(a)", "return JSON.parse(a)", vec![]),
        ("a.go", go, "http.Get(a)", "http.Get(a)", vec![]),
        ("a.java", java, "close(a)", "DriverManager.getConnection(a)", vec![]),
    ] {
        assert_eq!(by_way(path, wrapper, call, new), expected, "{path}: {new}");
    }
}

#[test]
fn going_past_a_function_of_a_file_beside_is_reported() {
    let go = "package a\nfunc load(path string) {\n\thttp.Get(path)\n}\nfunc one() {\n\tload(\"a\")\n}\n";
    let users = "package a\nfunc two() {\n\tload(\"b\")\n}\nfunc three() {\n\tload(\"c\")\n}\n";
    let new = "package a\nfunc four() {\n\thttp.Get(\"d\")\n}\n";
    let module = || Scenario::adding("a/new.go", new).and_keeping("a/load.go", go);
    let findings = module().and_keeping("a/use.go", users).findings("wrapper-bypassed");
    assert_eq!(findings.len(), 1);
    assert!(findings[0].message.contains("`load` beside it, in a/load.go"), "{}", findings[0].message);
    // Too few go by it, somebody else does not, or it stands elsewhere.
    assert_eq!(module().lines("wrapper-bypassed"), NOTHING);
    let direct = format!("{users}func five() {{\n\thttp.Get(\"e\")\n}}\n");
    assert_eq!(module().and_keeping("a/use.go", &direct).lines("wrapper-bypassed"), NOTHING);
    let elsewhere =
        Scenario::adding("b/new.go", new).and_keeping("a/load.go", go).and_keeping("a/use.go", users);
    assert_eq!(elsewhere.lines("wrapper-bypassed"), NOTHING);

    let python = "import requests\ndef load(path):\n    return requests.get(path, timeout=3)\n";
    let users = "from . import http\ndef one():\n    http.load(1)\ndef two():\n    http.load(2)\ndef three():\n    http.load(3)\n";
    let new = "import requests\ndef four():\n    return requests.get(4)\n";
    let kept = |users: &str| {
        Scenario::changing("app/old.py", "import requests\n", new)
            .and_keeping("app/http.py", python)
            .and_keeping("app/use.py", users)
            .lines("wrapper-bypassed")
    };
    assert_eq!(kept(users), [3]);
    // A method of the same name of something else is not meant.
    assert_eq!(kept(&users.replace("http.load", "yaml.load")), NOTHING);
}
