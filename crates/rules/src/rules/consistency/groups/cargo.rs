//! Crates that do the same job.

use super::{Group, group};

pub(super) static CARGO: &[Group] = &[
    group("HTTP requests", &["reqwest", "ureq", "isahc", "surf", "attohttpc", "minreq"]),
    group("dates and times", &["chrono", "time", "jiff"]),
    group("command lines", &["clap", "argh", "structopt", "pico-args", "lexopt", "bpaf", "gumdrop"]),
    group(
        "logging",
        &[
            "slog",
            "fern",
            "flexi_logger",
            "env_logger|pretty_env_logger",
            "simplelog",
            "log4rs",
            "simple_logger",
        ],
    ),
    group("an asynchronous runtime", &["tokio", "async-std", "smol"]),
    group("web servers", &["axum", "actix-web", "rocket", "warp", "poem", "tide", "salvo"]),
    group("databases", &["sqlx", "diesel", "sea-orm"]),
    group("lazy values", &["lazy_static", "once_cell"]),
    group("JSON", &["serde_json", "simd-json", "sonic-rs", "json", "tinyjson"]),
    group("YAML", &["serde_yaml", "serde_yml", "serde-saphyr", "yaml-rust", "yaml-rust2", "saphyr"]),
    group("error reports", &["anyhow", "eyre|color-eyre", "failure"]),
    group("error types", &["thiserror", "snafu", "quick-error"]),
    group("mocks", &["mockall", "mocktopus", "faux"]),
    group("random numbers", &["rand", "fastrand", "oorandom", "nanorand"]),
    group("XML", &["quick-xml|serde-xml-rs", "xml-rs", "roxmltree", "minidom"]),
    group("Markdown", &["pulldown-cmark", "comrak", "markdown"]),
    group("templates", &["tera", "handlebars", "askama|rinja", "minijinja", "liquid", "maud"]),
    group("property tests", &["proptest", "quickcheck"]),
    group(
        "colours in a terminal",
        &["colored", "owo-colors", "yansi", "ansi_term|nu-ansi-term", "termcolor"],
    ),
    group("parsers", &["nom", "winnow", "pest", "chumsky", "combine"]),
    group("benchmarks", &["criterion", "divan"]),
    group("unique ids", &["uuid", "ulid", "nanoid", "cuid2"]),
];
