//! Libraries that do the same job. Written from what each says of itself.

/// Which package index a name belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Index {
    Cargo,
    Npm,
    Python,
    Go,
    Maven,
}

/// A job, and those who do it.
pub(super) struct Group {
    pub(super) index: Index,
    pub(super) job: &'static str,
    pub(super) names: &'static [&'static str],
}

const fn group(index: Index, job: &'static str, names: &'static [&'static str]) -> Group {
    Group { index, job, names }
}

pub(super) static GROUPS: [Group; 45] = [
    group(Index::Cargo, "HTTP requests", &["reqwest", "ureq", "isahc", "surf", "attohttpc", "minreq"]),
    group(Index::Cargo, "dates and times", &["chrono", "time", "jiff"]),
    group(
        Index::Cargo,
        "command lines",
        &["clap", "argh", "structopt", "pico-args", "lexopt", "bpaf", "gumdrop"],
    ),
    group(
        Index::Cargo,
        "logging",
        &[
            "slog",
            "fern",
            "flexi_logger",
            "env_logger",
            "simplelog",
            "log4rs",
            "pretty_env_logger",
            "simple_logger",
        ],
    ),
    group(Index::Cargo, "an asynchronous runtime", &["tokio", "async-std", "smol"]),
    group(Index::Cargo, "web servers", &["axum", "actix-web", "rocket", "warp", "poem", "tide", "salvo"]),
    group(Index::Cargo, "databases", &["sqlx", "diesel", "sea-orm"]),
    group(Index::Cargo, "lazy values", &["lazy_static", "once_cell"]),
    group(Index::Cargo, "JSON", &["serde_json", "simd-json", "sonic-rs", "json", "tinyjson"]),
    group(
        Index::Cargo,
        "YAML",
        &["serde_yaml", "serde_yml", "serde-saphyr", "yaml-rust", "yaml-rust2", "saphyr"],
    ),
    group(Index::Cargo, "error reports", &["anyhow", "eyre", "color-eyre", "failure"]),
    group(Index::Cargo, "error types", &["thiserror", "snafu", "quick-error"]),
    group(Index::Cargo, "mocks", &["mockall", "mocktopus", "faux"]),
    group(
        Index::Npm,
        "HTTP requests",
        &[
            "axios",
            "got",
            "node-fetch",
            "superagent",
            "request",
            "ky",
            "undici",
            "needle",
            "cross-fetch",
            "isomorphic-fetch",
            "phin",
        ],
    ),
    group(Index::Npm, "dates and times", &["moment", "dayjs", "date-fns", "luxon", "moment-timezone"]),
    group(
        Index::Npm,
        "helpers for lists and objects",
        &["lodash", "underscore", "ramda", "lodash-es", "remeda", "radash"],
    ),
    group(Index::Npm, "logging", &["winston", "pino", "bunyan", "log4js", "loglevel", "signale", "consola"]),
    group(Index::Npm, "running tests", &["jest", "mocha", "vitest", "ava", "jasmine", "tape", "uvu"]),
    group(
        Index::Npm,
        "tests in a browser",
        &["cypress", "@playwright/test", "playwright", "testcafe", "nightwatch"],
    ),
    group(
        Index::Npm,
        "command lines",
        &["commander", "yargs", "meow", "minimist", "cac", "arg", "sade", "oclif"],
    ),
    group(Index::Npm, "unique ids", &["uuid", "nanoid", "cuid", "shortid", "ulid"]),
    group(
        Index::Npm,
        "databases",
        &["typeorm", "sequelize", "prisma", "@prisma/client", "mikro-orm", "objection", "drizzle-orm"],
    ),
    group(
        Index::Npm,
        "checking data",
        &["joi", "yup", "zod", "ajv", "superstruct", "valibot", "class-validator", "io-ts"],
    ),
    group(Index::Npm, "web servers", &["express", "koa", "fastify", "@hapi/hapi", "hono", "restify"]),
    group(
        Index::Npm,
        "colours in a terminal",
        &["chalk", "kleur", "colorette", "picocolors", "colors", "ansi-colors"],
    ),
    group(
        Index::Npm,
        "state",
        &["redux", "mobx", "zustand", "recoil", "jotai", "valtio", "@reduxjs/toolkit"],
    ),
    group(Index::Npm, "forms", &["formik", "react-hook-form", "react-final-form", "redux-form"]),
    group(
        Index::Npm,
        "styles",
        &["styled-components", "@emotion/react", "@emotion/styled", "@stitches/react", "styled-jsx"],
    ),
    group(Index::Npm, "bundling", &["webpack", "rollup", "parcel", "esbuild", "vite", "rspack"]),
    group(Index::Python, "HTTP requests", &["requests", "httpx", "aiohttp", "urllib3", "pycurl", "niquests"]),
    group(
        Index::Python,
        "dates and times",
        &["arrow", "pendulum", "python-dateutil", "delorean", "whenever"],
    ),
    group(Index::Python, "logging", &["loguru", "structlog", "logbook"]),
    group(Index::Python, "running tests", &["pytest", "nose", "nose2", "ward"]),
    group(Index::Python, "command lines", &["click", "typer", "docopt", "fire", "cyclopts", "plac"]),
    group(
        Index::Python,
        "databases",
        &["sqlalchemy", "peewee", "tortoise-orm", "pony", "django", "sqlmodel"],
    ),
    group(Index::Python, "JSON", &["ujson", "orjson", "simplejson", "python-rapidjson"]),
    group(
        Index::Python,
        "web servers",
        &["flask", "fastapi", "django", "bottle", "falcon", "sanic", "tornado"],
    ),
    group(
        Index::Python,
        "checking data",
        &["pydantic", "marshmallow", "cerberus", "voluptuous", "schematics"],
    ),
    group(Index::Python, "PostgreSQL", &["psycopg2", "psycopg2-binary", "psycopg", "asyncpg", "pg8000"]),
    group(
        Index::Go,
        "logging",
        &[
            "github.com/sirupsen/logrus",
            "go.uber.org/zap",
            "github.com/rs/zerolog",
            "github.com/golang/glog",
            "github.com/inconshreveable/log15",
        ],
    ),
    group(
        Index::Go,
        "web servers",
        &[
            "github.com/gin-gonic/gin",
            "github.com/labstack/echo",
            "github.com/gofiber/fiber",
            "github.com/go-chi/chi",
            "github.com/gorilla/mux",
        ],
    ),
    group(
        Index::Go,
        "command lines",
        &[
            "github.com/spf13/cobra",
            "github.com/urfave/cli",
            "github.com/alecthomas/kong",
            "github.com/jessevdk/go-flags",
        ],
    ),
    group(
        Index::Go,
        "databases",
        &[
            "gorm.io/gorm",
            "github.com/jmoiron/sqlx",
            "entgo.io/ent",
            "github.com/uptrace/bun",
            "xorm.io/xorm",
        ],
    ),
    group(
        Index::Maven,
        "JSON",
        &["jackson-databind", "gson", "json-simple", "fastjson", "moshi", "org.json"],
    ),
    group(
        Index::Maven,
        "HTTP requests",
        &["okhttp", "httpclient", "httpclient5", "async-http-client", "unirest-java"],
    ),
];
