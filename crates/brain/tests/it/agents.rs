//! The known agents, played by scripts that write what the real ones write.

use std::sync::{Arc, Mutex};

use brain::agents::{AgentMind, AgentTrouble, Claude, Codex, Opencode, probe};
use brain::{Answer, Call, CallError, Message, Mind, Schema};
use domain::config::Sandbox;

use crate::stage::{Stage, sleepers, unique_sleep, wait_until};

/// What came of one question to the agent of a stage.
struct Asked {
    answer: Result<Answer, CallError>,
    remarks: Vec<String>,
    told: Vec<String>,
}

fn mind(stage: &Stage) -> AgentMind {
    AgentMind::new("qa".into(), stage.launch.clone(), stage.at("export"))
}

fn call() -> Call {
    Call {
        system: "You review.".into(),
        messages: vec![Message::User("review this".into())],
        schema: Some(Schema { name: "review", schema: serde_json::json!({"type": "object"}) }),
        ..Call::default()
    }
}

fn ask(stage: &Stage) -> Asked {
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let mut mind = mind(stage);
    mind.progress = Arc::new(move |line| heard.lock().unwrap().push(line.to_owned()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answer = runtime.block_on(mind.ask(&call()));
    let told = told.lock().unwrap().clone();
    Asked { answer, remarks: mind.remarks(), told }
}

const CLAUDE: &str = r#"
cat > /dev/null
echo "$@" >&2
echo '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Read","input":{"file_path":"\u001b[1ma.rs"}}]}}'
echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"fine",@more@"usage":{"input_tokens":3,"output_tokens":1}}'
"#;

fn claude(more: &str) -> Stage {
    Stage::with_agent(&Claude, CLAUDE).place(&[("more", more)])
}

#[test]
fn a_review_by_claude_is_heard_and_paid_for() {
    let Asked { answer, remarks, told } =
        ask(&claude(r#""structured_output":{"findings":[]},"permission_denials":[],"#));
    let answer = answer.unwrap();
    assert_eq!((answer.text.as_str(), remarks.len()), ("{\"findings\":[]}", 0));
    assert_eq!(answer.usage.input_tokens, 3);
    assert!(told.contains(&"qa: Read: a.rs".to_owned()), "{told:?}");
    let flags = "--tools Read,Grep,Glob";
    assert!(told.iter().any(|line| line.contains(flags) && line.contains("--json-schema")), "{told:?}");
}

#[test]
fn a_reviewer_that_was_not_allowed_to_read_has_not_reviewed() {
    let failed = ask(&claude(r#""permission_denials":[{"tool_name":"Grep"}],"#)).answer.unwrap_err();
    assert!(failed.to_string().contains("was kept from reading: Grep"), "{failed}");
    let Asked { answer, remarks, .. } = ask(&claude(r#""permission_denials":[{"tool_name":"Bash"}],"#));
    assert_eq!(answer.unwrap().text, "fine");
    assert!(remarks[0].ends_with("refused: Bash"), "{remarks:?}");
}

#[test]
fn every_way_of_not_answering_is_no_answer() {
    for script in ["exit 0", "echo '   '"] {
        let answer = ask(&Stage::with_agent(&Claude, script)).answer.unwrap();
        assert_eq!(answer.text, "", "{script}");
    }
    for (script, reason) in [
        ("exit 7", "exit code 7"),
        ("echo '{\"type\":\"result\",\"result\":\"cut o'", "cannot be read"),
        ("kill -9 $$", "exit code 137"),
        ("yes", "wrote more than 64 MB"),
    ] {
        let failed = ask(&Stage::with_agent(&Claude, script)).answer.unwrap_err();
        assert!(
            matches!(&failed, CallError::Failed { model, reason: said }
            if model == "qa" && said.contains(reason)),
            "{script}: {failed}"
        );
    }
}

#[test]
fn a_question_that_is_dropped_ends_its_agent() {
    let sleep = unique_sleep();
    let stage = Stage::with_script("setsid sleep @sleep@ & sleep @sleep@").place(&[("sleep", &sleep)]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (mind, call) = (mind(&stage), call());
    runtime.block_on(async {
        tokio::select! {
            _ = mind.ask(&call) => panic!("it does not end"),
            () = async { while sleepers(&sleep) < 2 { tokio::time::sleep(std::time::Duration::from_millis(20)).await } } => {}
        }
    });
    wait_until("everybody is gone", || sleepers(&sleep) == 0);
}

#[test]
fn an_agent_that_is_not_there_cannot_be_asked() {
    let mut stage = Stage::with_agent(&Opencode, "");
    stage.launch.command = Vec::new();
    let failed = ask(&stage).answer.unwrap_err();
    assert!(failed.to_string().contains("opencode is not installed"), "{failed}");
}

#[test]
fn codex_is_not_started_with_its_home_below_the_temporary_directory() {
    let mut stage = Stage::with_agent(&Codex, "echo started >&2; exit 1");
    let temporary = tempfile::tempdir().unwrap();
    stage.launch.scratch_root = temporary.path().to_owned();
    let trouble = stage.review().unwrap_err();
    assert!(matches!(&trouble, AgentTrouble::NotRun(why) if why.contains("temporary files")), "{trouble}");
}

#[test]
fn a_program_that_cannot_be_started_is_said_to_be_so() {
    let mut stage = Stage::with_script("");
    std::fs::write(stage.at("agent/agent"), "#!/no/such/interpreter\n").unwrap();
    stage.launch.sandbox = Sandbox::Preferred;
    let trouble = stage.review().unwrap_err();
    assert!(matches!(&trouble, AgentTrouble::NotRun(why) if why.contains("cannot be started")), "{trouble}");
}

#[test]
fn availability_is_where_it_is_and_what_it_says() {
    let stage = Stage::with_script("echo '2.1.0 (Claude Code)'");
    std::fs::rename(stage.at("agent/agent"), stage.at("agent/claude")).unwrap();
    let path = format!("{}:/usr/bin:/bin", stage.at("agent").display());
    let found = probe(&Claude, "claude", &[("PATH".into(), path.into())]);
    assert_eq!(found.path, Some(stage.at("agent/claude")));
    assert_eq!(found.version, Some(Ok("2.1.0 (Claude Code)".into())));
    let missing = probe(&Claude, "claude", &[("PATH".into(), "/nowhere".into())]);
    assert_eq!((missing.path, missing.version), (None, None));
}
