use domain::config::{ModelPolicy, Price};
use serde_json::json;
use testkit::model_server::{ModelServer, Reply};

use super::*;
use crate::call::{Ended, ToolCall, ToolResult};

#[test]
fn each_provider_answers_with_what_was_said_and_what_it_cost() {
    for model in EACH.into_iter().chain(["ollama:scripted", "mistral:scripted", "openrouter:scripted"]) {
        let server = ModelServer::start([Reply::text("Grüße, all is well. \u{1F980}").costing(120, 30)]);
        // These bring a path of their own, which the server does not have.
        let models = models_at(model, |_| Some(format!("{}/v1", server.url())));
        let answer = ask(&models, &question()).unwrap_or_else(|error| panic!("{model}: {error}"));
        assert_eq!(answer.text, "Grüße, all is well. \u{1F980}", "{model}");
        assert_eq!((answer.ended, answer.model.as_str()), (Ended::Complete, model));
        assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (120, 30), "{model}");
        assert_eq!((answer.usage.calls, answer.usage.cost_micro_usd), (1, None), "{model}");
        assert!(server.questions()[0].text().contains("You review code."), "{model}");
    }
}

#[test]
fn a_schema_is_sent_in_a_form_that_the_provider_takes() {
    for model in EACH.into_iter().chain(["ollama:scripted"]) {
        let server = ModelServer::start([Reply::json(&json!({"summary": "fine", "note": ""}))]);
        let call = Call { schema: Some(schema()), ..question() };
        ask(&models(&server, model), &call).unwrap();
        assert_eq!(server.refusals(), Vec::<String>::new(), "{model}");
        let body = &server.questions()[0].body;
        let sent = [
            &body["output_config"]["format"]["schema"],
            &body["response_format"]["json_schema"]["schema"],
            &body["text"]["format"]["schema"],
            &body["generationConfig"]["responseJsonSchema"],
        ];
        assert!(sent.iter().any(|schema| schema["properties"]["summary"].is_object()), "{model}: {body}");
    }
}

#[test]
fn a_model_that_refuses_schemas_is_asked_without_and_not_bothered_again() {
    for model in ["anthropic:scripted", "openai:scripted"] {
        let server = ModelServer::start(|asked: &testkit::model_server::Asked| {
            let bound =
                ["output_config", "response_format"].iter().any(|field| asked.body.get(*field).is_some());
            match bound {
                true => {
                    Reply::status(400, "invalid_request_error", "schemas are not supported by this model")
                }
                false => Reply::text("{}"),
            }
        });
        let models = models(&server, model);
        let call = Call { schema: Some(schema()), ..question() };
        assert_eq!(ask(&models, &call).unwrap().text, "{}");
        assert_eq!(ask(&models, &call).unwrap().text, "{}");
        assert_eq!(server.questions().len(), 3, "{model}");
    }
}

#[test]
fn a_model_that_refuses_to_tell_its_usage_is_asked_without_and_not_bothered_again() {
    let server = ModelServer::start(|asked: &testkit::model_server::Asked| {
        match asked.body.get("stream_options").is_some() {
            true => Reply::status(400, "invalid_request_error", "unknown field: stream_options"),
            false => Reply::text("{}"),
        }
    });
    let models = models(&server, "openai:scripted");
    let call = Call { schema: Some(schema()), ..question() };
    assert_eq!(ask(&models, &call).unwrap().text, "{}");
    assert_eq!(ask(&models, &call).unwrap().text, "{}");
    let asked = server.questions();
    assert_eq!(asked.len(), 3);
    assert!(asked.iter().all(|asked| asked.body.get("response_format").is_some()));
}

#[test]
fn tool_calls_and_their_results_go_both_ways() {
    for model in EACH.into_iter().chain(["ollama:scripted"]) {
        let server = ModelServer::start([
            Reply::text("Let me look.")
                .and_call("read", json!({"path": "a.rs"}))
                .and_call("list", json!({"path": "é"})),
            Reply::text("Done."),
        ]);
        let models = models(&server, model);
        let mut call = Call { tools: vec![tool("read"), tool("list")], ..question() };
        let answer = ask(&models, &call).unwrap();
        let asked: Vec<_> =
            answer.tool_calls.iter().map(|call| (call.name.as_str(), &call.arguments)).collect();
        assert_eq!(asked, [("read", &json!({"path": "a.rs"})), ("list", &json!({"path": "é"}))], "{model}");
        assert_eq!(answer.ended, Ended::Complete, "{model}");

        let results = answer.tool_calls.iter().map(|call: &ToolCall| ToolResult {
            id: call.id.clone(),
            content: format!("result of {}", call.name),
        });
        let results = results.collect();
        call.messages.push(Message::Assistant { text: answer.text, tool_calls: answer.tool_calls.clone() });
        call.messages.push(Message::ToolResults(results));
        assert_eq!(ask(&models, &call).unwrap().text, "Done.", "{model}");
        assert_eq!(server.refusals(), Vec::<String>::new(), "{model}");
        assert!(server.questions()[1].text().contains("result of list"), "{model}");
    }
}

#[test]
fn a_tool_call_without_words_can_be_sent_back() {
    for model in EACH {
        let server = ModelServer::start([Reply::call("read", json!({})), Reply::text("Done.")]);
        let models = models(&server, model);
        let mut call = Call { tools: vec![tool("read")], ..question() };
        let answer = ask(&models, &call).unwrap();
        let id = answer.tool_calls[0].id.clone();
        call.messages.push(Message::Assistant { text: answer.text, tool_calls: answer.tool_calls });
        call.messages.push(Message::ToolResults(vec![ToolResult { id, content: "empty".to_owned() }]));
        assert_eq!(ask(&models, &call).unwrap().text, "Done.", "{model}: {:?}", server.refusals());
    }
}

#[test]
fn an_answer_that_ran_into_the_limit_is_marked_as_cut_off() {
    for model in EACH {
        let server = ModelServer::start([Reply::text("{\"summary\": \"half").cut_short()]);
        let answer = ask(&models(&server, model), &question()).unwrap();
        assert_eq!((answer.ended, answer.text.as_str()), (Ended::CutOff, "{\"summary\": \"half"), "{model}");
    }
}

#[test]
fn a_refusal_is_marked_as_such() {
    for model in ["anthropic:scripted", "openai:scripted", "gemini:scripted"] {
        let server = ModelServer::start([Reply::refused()]);
        let answer = ask(&models(&server, model), &question()).unwrap();
        assert_eq!(answer.ended, Ended::Refused, "{model}");
    }
}

#[test]
fn the_cost_follows_from_the_price() {
    let server = ModelServer::start([Reply::text("ok").costing(1_000_000, 2_000)]);
    let price = Price { input_cents: 300, output_cents: 1500 };
    let policy =
        ModelPolicy { prices: [("openai:scripted".to_owned(), price)].into(), ..ModelPolicy::default() };
    let variable = |name: &str| match name {
        MODEL_PRIORITY => Some("openai:scripted".to_owned()),
        "OPENAI_API_KEY" => Some(ModelServer::KEY.to_owned()),
        "OPENAI_BASE_URL" => Some(server.url()),
        _ => None,
    };
    let models = Models::from_environment(variable, &policy).unwrap();
    assert_eq!(ask(&models, &question()).unwrap().usage.cost_micro_usd, Some(3_030_000));
}

#[test]
fn a_model_whose_name_ends_like_an_effort_keeps_its_name() {
    for model in ["openai:qwen-max", "openai-responses:some-high", "mistral:big-low"] {
        let server = ModelServer::start([Reply::text("ok")]);
        ask(&models(&server, model), &question()).unwrap();
        let body = &server.questions()[0].body;
        assert_eq!(body["model"], model.split_once(':').unwrap().1);
        assert!(body.get("reasoning_effort").is_none() && body.get("reasoning").is_none(), "{body}");
    }
}

#[test]
fn a_question_that_ollama_cut_down_is_not_taken_for_answered() {
    let server = ModelServer::start(Reply::text("all is well").costing(4096, 5));
    let long = Call { messages: vec![Message::User("let x = 1;\n".repeat(10_000))], ..question() };
    let error = ask(&models(&server, "ollama:scripted"), &long).unwrap_err();
    assert!(
        matches!(&error, CallError::TooLarge { reason, .. } if reason.contains("OLLAMA_CONTEXT_LENGTH")),
        "{error}"
    );
    assert!(ask(&models(&server, "ollama:scripted"), &question()).is_ok());
}
