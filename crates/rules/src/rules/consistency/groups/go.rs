//! Modules of Go that do the same job.

use super::{Group, group};

pub(super) static GO: &[Group] = &[
    group(
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
        "command lines",
        &[
            "github.com/spf13/cobra",
            "github.com/urfave/cli",
            "github.com/alecthomas/kong",
            "github.com/jessevdk/go-flags",
        ],
    ),
    group(
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
        "assertions",
        &[
            "github.com/stretchr/testify",
            "github.com/onsi/gomega",
            "gotest.tools",
            "github.com/matryer/is",
            "github.com/go-quicktest/qt|github.com/frankban/quicktest",
        ],
    ),
    group(
        "settings",
        &[
            "github.com/spf13/viper",
            "github.com/knadh/koanf",
            "github.com/kelseyhightower/envconfig",
            "github.com/caarlos0/env",
            "github.com/ilyakaznacheev/cleanenv",
        ],
    ),
    group(
        "unique ids",
        &[
            "github.com/google/uuid",
            "github.com/gofrs/uuid",
            "github.com/satori/go.uuid",
            "github.com/rs/xid",
            "github.com/oklog/ulid",
            "github.com/segmentio/ksuid",
        ],
    ),
    group(
        "JSON",
        &[
            "github.com/json-iterator/go",
            "github.com/goccy/go-json",
            "github.com/bytedance/sonic",
            "github.com/mailru/easyjson",
        ],
    ),
    group("PostgreSQL", &["github.com/lib/pq", "github.com/jackc/pgx"]),
    group(
        "YAML",
        &[
            "gopkg.in/yaml.v3|gopkg.in/yaml.v2|go.yaml.in/yaml",
            "github.com/goccy/go-yaml",
            "sigs.k8s.io/yaml|github.com/ghodss/yaml",
        ],
    ),
    group(
        "errors",
        &[
            "github.com/pkg/errors",
            "github.com/cockroachdb/errors",
            "github.com/rotisserie/eris",
            "github.com/go-errors/errors",
        ],
    ),
    group(
        "Redis",
        &[
            "github.com/redis/go-redis|github.com/go-redis/redis",
            "github.com/gomodule/redigo",
            "github.com/redis/rueidis",
        ],
    ),
    group(
        "HTTP requests",
        &[
            "github.com/go-resty/resty|resty.dev",
            "github.com/imroc/req",
            "github.com/levigross/grequests",
            "github.com/parnurzeal/gorequest",
        ],
    ),
    group(
        "checking data",
        &[
            "github.com/go-playground/validator",
            "github.com/go-ozzo/ozzo-validation",
            "github.com/asaskevich/govalidator",
        ],
    ),
    group(
        "signed tokens",
        &[
            "github.com/golang-jwt/jwt|github.com/dgrijalva/jwt-go",
            "github.com/lestrrat-go/jwx",
            "github.com/go-jose/go-jose",
        ],
    ),
    group("schedules", &["github.com/robfig/cron", "github.com/go-co-op/gocron"]),
    group(
        "Kafka",
        &[
            "github.com/segmentio/kafka-go",
            "github.com/ibm/sarama|github.com/shopify/sarama",
            "github.com/confluentinc/confluent-kafka-go",
            "github.com/twmb/franz-go",
        ],
    ),
    group(
        "migrations",
        &["github.com/golang-migrate/migrate", "github.com/pressly/goose", "github.com/rubenv/sql-migrate"],
    ),
    group(
        "dependency injection",
        &["github.com/google/wire", "go.uber.org/fx|go.uber.org/dig", "github.com/samber/do"],
    ),
];
