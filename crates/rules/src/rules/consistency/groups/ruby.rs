//! Gems that do the same job.

use super::{Group, group};

pub(super) static RUBY: &[Group] = &[
    group(
        "HTTP requests",
        &[
            "faraday|faraday-retry|faraday_middleware",
            "httparty",
            "rest-client",
            "typhoeus",
            "excon",
            "http",
            "httpx",
            "curb",
        ],
    ),
    group("JSON", &["oj", "yajl-ruby", "multi_json"]),
    group(
        "running tests",
        &["rspec|rspec-rails|rspec-core", "minitest|minitest-rails", "test-unit", "bacon"],
    ),
    group(
        "test data",
        &["factory_bot|factory_bot_rails|factory_girl|factory_girl_rails", "fabrication", "machinist"],
    ),
    group("web servers", &["puma", "unicorn", "thin", "passenger", "falcon"]),
    group("web applications", &["rails", "sinatra", "hanami", "roda", "padrino"]),
    group(
        "tasks in the background",
        &[
            "sidekiq",
            "resque",
            "delayed_job|delayed_job_active_record",
            "good_job",
            "solid_queue",
            "sucker_punch",
            "que",
        ],
    ),
    group("logging in", &["devise", "clearance", "authlogic", "sorcery", "rodauth|rodauth-rails"]),
    group("permissions", &["pundit", "cancancan|cancan", "action_policy"]),
    group("pages of lists", &["kaminari", "will_paginate", "pagy"]),
    group("uploads", &["carrierwave", "shrine", "paperclip|kt-paperclip", "refile"]),
    group("forms", &["simple_form", "formtastic"]),
    group("state machines", &["aasm", "state_machines|state_machines-activerecord", "statesman", "workflow"]),
    group("templates", &["haml|haml-rails", "slim|slim-rails"]),
    group("command lines", &["thor", "slop", "optimist", "gli", "dry-cli"]),
    group("settings from the environment", &["dotenv|dotenv-rails", "figaro"]),
    group(
        "serialising",
        &["active_model_serializers", "jsonapi-serializer|fast_jsonapi", "blueprinter", "alba"],
    ),
];
