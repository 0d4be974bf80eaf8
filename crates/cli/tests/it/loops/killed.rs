//! Killed without warning after, and before, every single save; and gone on with.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;

use engine::story::Step;

use super::stage::*;

const COUNTING: &str = "cat > /dev/null\necho fix >> '@outside@/calls'\nsed -i '/BUG/d' notes.txt";

/// The step that the stored story is at.
fn stored_step(stage: &Stage) -> Option<String> {
    let loops = stage.repo.path().join(".git/countersign/loops");
    let folder = std::fs::read_dir(loops).ok()?.flatten().next()?.path();
    let text = std::fs::read_to_string(folder.join("story.json")).ok()?;
    let story: serde_json::Value = serde_json::from_str(&text).unwrap();
    story["step"].as_str().map(str::to_owned)
}

/// Whether it was killed there.
fn killed(stage: &Stage, more: &[&str], fault: &str) -> bool {
    let mut command = stage.begin();
    command.args(more).env("COUNTERSIGN_FAULT_SAVE", fault);
    let output = command.output().unwrap();
    output.status.signal() == Some(9)
}

#[test]
fn after_any_step_it_goes_on_and_no_finished_call_is_paid_twice() {
    let mut seen = BTreeSet::new();
    for (moment, extra) in [("after", 0), ("before", 1)] {
        for save in 0.. {
            let policy = "sandbox: off\nloop: {test_command: 'true'}\n";
            let setup = Setup { notes: "fine\nBUG one\n", fixer: COUNTING, policy, ..Setup::default() };
            let stage = setup.stage();
            let fault = format!("{moment}:{save}");
            if !killed(&stage, &[], &fault) {
                assert!(save > 8, "a whole loop is saved more often than {save} times");
                break;
            }
            seen.extend(stored_step(&stage));
            match stored_step(&stage) {
                Some(step) if step == Step::Done.as_str() => {}
                Some(_) => {
                    assert_code(&stage.resume(&[]), 0);
                    stage.assert_nothing_left();
                }
                None => assert_code(&stage.run(&[]), 0),
            }
            let paid = (stage.calls("review"), stage.calls("fix"));
            assert!(paid.0 >= 2 && paid.1 >= 1 && paid.0 + paid.1 <= 3 + extra, "{fault}: {paid:?}");
            assert_eq!((stage.notes().as_str(), stage.commits().as_str()), ("fine", "2"), "{fault}");
        }
    }
    let rests = [Step::Escalated, Step::Blocked];
    let working: BTreeSet<String> = Step::ALL
        .into_iter()
        .filter(|step| !rests.contains(step))
        .map(|step| step.as_str().to_owned())
        .collect();
    assert_eq!(seen, working);
}

#[test]
fn killed_while_a_human_decides_it_still_waits_for_them() {
    let mut seen = BTreeSet::new();
    for save in 0.. {
        let stage = with_notes("BUG one\n");
        if !killed(&stage, &["--max-rounds", "1", "--yes-to", "a"], &format!("after:{save}")) {
            break;
        }
        seen.extend(stored_step(&stage));
        assert_code(&stage.resume(&["--yes-to", "a"]), 4);
        assert_eq!(stored_step(&stage).as_deref(), Some("blocked"));
        stage.assert_nothing_left();
    }
    for step in [Step::Escalated, Step::Blocked] {
        assert!(seen.contains(step.as_str()), "{} in {seen:?}", step.as_str());
    }
}
