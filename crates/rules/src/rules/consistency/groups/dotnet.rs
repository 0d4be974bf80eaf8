//! Packages of .NET that do the same job.

use super::{Group, group};

pub(super) static DOTNET: &[Group] = &[
    group(
        "JSON",
        &[
            "newtonsoft.json|microsoft.aspnetcore.mvc.newtonsoftjson",
            "system.text.json",
            "utf8json",
            "jil",
            "servicestack.text",
        ],
    ),
    group("HTTP requests", &["restsharp", "flurl.http", "refit|refit.httpclientfactory"]),
    group(
        "logging",
        &["serilog|serilog.aspnetcore", "nlog|nlog.web.aspnetcore|nlog.extensions.logging", "log4net"],
    ),
    group("running tests", &["xunit|xunit.v3", "nunit", "mstest.testframework|mstest", "tunit"]),
    group("mocks", &["moq", "nsubstitute", "fakeiteasy", "rhinomocks"]),
    group("assertions", &["fluentassertions|awesomeassertions", "shouldly", "nfluent"]),
    group(
        "databases",
        &[
            "microsoft.entityframeworkcore|microsoft.entityframeworkcore.sqlserver|npgsql.entityframeworkcore.postgresql",
            "entityframework",
            "nhibernate",
            "linq2db",
        ],
    ),
    group(
        "dependency injection",
        &[
            "autofac|autofac.extensions.dependencyinjection",
            "ninject",
            "simpleinjector",
            "unity",
            "castle.windsor",
            "lamar",
            "dryioc|dryioc.dll",
        ],
    ),
    group(
        "mapping objects",
        &["automapper|automapper.extensions.microsoft.dependencyinjection", "mapster", "riok.mapperly"],
    ),
    group("messages inside the program", &["mediatr", "wolverinefx", "mediator.abstractions"]),
    group("messages between services", &["masstransit|masstransit.rabbitmq", "nservicebus", "rebus"]),
    group(
        "tasks in the background",
        &["hangfire|hangfire.core|hangfire.aspnetcore", "quartz|quartz.aspnetcore", "coravel"],
    ),
    group(
        "command lines",
        &[
            "commandlineparser",
            "system.commandline",
            "spectre.console.cli",
            "mcmaster.extensions.commandlineutils",
            "cocona",
        ],
    ),
    group("spreadsheets", &["epplus", "closedxml", "npoi"]),
    group("documentation of an API", &["swashbuckle.aspnetcore", "nswag.aspnetcore"]),
    group("Redis", &["stackexchange.redis", "csredis", "servicestack.redis"]),
    group("YAML", &["yamldotnet", "sharpyaml"]),
];
