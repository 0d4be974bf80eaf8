//! Packages of Python that do the same job.

use super::{Group, group};

pub(super) static PYTHON: &[Group] = &[
    group("HTTP requests", &["requests|urllib3", "httpx", "aiohttp", "pycurl", "niquests"]),
    group("dates and times", &["arrow", "pendulum", "python-dateutil", "delorean", "whenever"]),
    group("logging", &["loguru", "structlog", "logbook"]),
    group("running tests", &["pytest", "nose", "nose2", "ward"]),
    group("command lines", &["click", "typer", "docopt", "fire", "cyclopts", "plac"]),
    group("databases", &["sqlalchemy|sqlmodel", "peewee", "tortoise-orm", "pony", "django"]),
    group("JSON", &["ujson", "orjson", "simplejson", "python-rapidjson"]),
    group("web servers", &["flask", "fastapi", "django", "bottle", "falcon", "sanic", "tornado"]),
    group("checking data", &["pydantic", "marshmallow", "cerberus", "voluptuous", "schematics"]),
    group("PostgreSQL", &["psycopg2|psycopg2-binary", "psycopg", "asyncpg", "pg8000"]),
    group("settings from the environment", &["python-dotenv", "environs", "python-decouple", "dynaconf"]),
    group("tasks in the background", &["celery", "rq", "dramatiq", "huey", "arq"]),
    group("answers to requests in tests", &["responses", "requests-mock", "httpretty", "respx|pytest-httpx"]),
    group("formatting", &["black", "yapf", "autopep8"]),
    group("data frames", &["pandas", "polars", "modin"]),
    group("trying again", &["tenacity", "backoff", "retrying", "stamina"]),
    group("MySQL", &["pymysql|aiomysql", "mysqlclient", "mysql-connector-python"]),
    group("Kafka", &["kafka-python|kafka-python-ng", "confluent-kafka", "aiokafka"]),
    group("signed tokens", &["pyjwt", "python-jose", "jwcrypto"]),
    group("templates", &["jinja2", "mako", "chameleon"]),
    group("YAML", &["pyyaml", "ruamel.yaml|ruamel-yaml", "strictyaml"]),
    group("schedules", &["apscheduler", "schedule"]),
];
