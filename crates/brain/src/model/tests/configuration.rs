use domain::config::ModelPolicy;
use testkit::model_server::{ModelServer, Reply};

use super::*;

fn refused(variables: &[(&str, &str)]) -> String {
    let variable = |name: &str| {
        let found = variables.iter().find(|(own, _)| *own == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    match Models::from_environment(variable, &ModelPolicy::default()) {
        Err(CallError::NotConfigured(why)) => why,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

#[test]
fn what_is_missing_is_named() {
    insta::assert_snapshot!(refused(&[]), @"CODE_REVIEW_LLM_MODEL_PRIORITY is not set: name the models to ask as provider:model, separated by commas, the preferred one first");
    insta::assert_snapshot!(refused(&[(MODEL_PRIORITY, " , ")]), @"CODE_REVIEW_LLM_MODEL_PRIORITY names no model; it wants provider:model, separated by commas");
    insta::assert_snapshot!(refused(&[(MODEL_PRIORITY, "anthropic:some-model")]), @"CODE_REVIEW_LLM_MODEL_PRIORITY: `anthropic` needs a key: set ANTHROPIC_API_KEY");
    insta::assert_snapshot!(refused(&[(MODEL_PRIORITY, "openai:x"), ("OPENAI_API_KEY", "  ")]), @"CODE_REVIEW_LLM_MODEL_PRIORITY: `openai` needs a key: set OPENAI_API_KEY");
}

#[test]
fn what_is_misspelt_is_corrected() {
    insta::assert_snapshot!(refused(&[(MODEL_PRIORITY, "antropic:some-model")]), @"CODE_REVIEW_LLM_MODEL_PRIORITY: there is no provider `antropic`; did you mean `anthropic`?");
    insta::assert_snapshot!(refused(&[(MODEL_PRIORITY, "zzz:some-model")]), @"CODE_REVIEW_LLM_MODEL_PRIORITY: there is no provider `zzz`; known are anthropic, openai, openai-responses, gemini, ollama, openrouter, xai, groq, deepseek, mistral. Any other service that imitates OpenAI's interface is `openai` with its address in OPENAI_BASE_URL");
    insta::assert_snapshot!(refused(&[(MODEL_PRIORITY, "some-model")]), @"CODE_REVIEW_LLM_MODEL_PRIORITY: `some-model` does not say whose model it is; write provider:model, with one of anthropic, openai, openai-responses, gemini, ollama, openrouter, xai, groq, deepseek, mistral as the provider");
    insta::assert_snapshot!(refused(&[(MODEL_PRIORITY, "ollama: ")]), @"CODE_REVIEW_LLM_MODEL_PRIORITY: `ollama:` names no model behind the colon");
}

#[test]
fn an_address_that_is_none_is_refused_without_being_repeated() {
    for address in ["localhost:8000", "ftp://user:hunter2@host", "http://", "::"] {
        let given =
            [(MODEL_PRIORITY, "openai:x"), ("OPENAI_API_KEY", "secret-key"), ("OPENAI_BASE_URL", address)];
        let why = refused(&given);
        assert!(why.contains("OPENAI_BASE_URL") && !why.contains("hunter2"), "{why}");
    }
}

#[test]
fn a_key_with_a_line_break_in_it_is_refused_without_being_repeated() {
    let why = refused(&[(MODEL_PRIORITY, "openai:x"), ("OPENAI_API_KEY", "abc\ndef")]);
    assert!(why.contains("OPENAI_API_KEY") && !why.contains("abc"), "{why}");
}

#[test]
fn addresses_may_end_with_the_version_or_not() {
    for model in EACH.into_iter().chain(["ollama:scripted"]) {
        for end in ["", "/", "/v1", "/v1/"] {
            let server = ModelServer::start([Reply::text("ok")]);
            let models = models_at(model, |_| Some(format!("{}{end}", server.url())));
            assert_eq!(
                ask(&models, &question()).unwrap().text,
                "ok",
                "{model} {end}: {:?}",
                server.refusals()
            );
        }
    }
}

#[test]
fn a_gateway_with_a_path_is_asked_under_it() {
    for (model, path) in [("anthropic:x", "/gateway/v1/messages"), ("openai:x", "/gateway/chat/completions")]
    {
        let server = ModelServer::start(Reply::text("ok"));
        let _ = ask(&models_at(model, |_| Some(format!("{}/gateway", server.url()))), &question());
        assert_eq!(server.requests()[0].path, path);
    }
}

#[test]
fn ollama_is_found_where_it_listens() {
    let server = ModelServer::start(Reply::text("ok"));
    let port = server.url().rsplit(':').next().unwrap().to_owned();
    for host in [format!("127.0.0.1:{port}"), format!("0.0.0.0:{port}"), server.url()] {
        let models = models_at("ollama:qwen:8b", |name| (name == "OLLAMA_HOST").then(|| host.clone()));
        assert_eq!(ask(&models, &question()).unwrap().text, "ok", "{host}");
        assert_eq!(server.requests().last().unwrap().body["model"], "qwen:8b");
    }
}

#[test]
fn a_server_of_ones_own_needs_no_key() {
    for model in ["openai:local", "ollama:local"] {
        let server = ModelServer::start(Reply::text("ok"));
        let variable = |name: &str| match name {
            MODEL_PRIORITY => Some(model.to_owned()),
            "OPENAI_BASE_URL" | "OLLAMA_HOST" => Some(server.url()),
            _ => None,
        };
        let models = Models::from_environment(variable, &ModelPolicy::default()).unwrap();
        let _ = ask(&models, &question());
        assert_eq!(server.requests()[0].path, "/v1/chat/completions");
        assert_ne!(server.requests()[0].header("authorization"), Some("Bearer "));
    }
}

#[test]
fn the_same_model_is_asked_once() {
    let server = ModelServer::start(Reply::text("ok"));
    let models = models(&server, "openai:a,openai:a, Anthropic:b,");
    assert_eq!(models.names(), ["openai:a", "anthropic:b"]);
}
