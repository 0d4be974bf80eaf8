use super::stage::{KEY, Stage, finds_it};
use crate::program::run;

/// Dies before and after every save, then goes on.
#[test]
fn killed_at_every_step_there_is_one_start_one_review_and_one_result() {
    for moment in ["before", "after"] {
        for save in 0..6 {
            let stage = Stage::new(finds_it());
            let mut command = stage.command(&[KEY]);
            command.env("COUNTERSIGN_FAULT_SAVE", format!("{moment}:{save}"));
            assert_eq!(run(command).code, None, "{moment}:{save} is a step");
            let outcome = stage.run(&[KEY]);
            let ended_before = moment == "after" && save == 5;
            if !ended_before {
                assert_eq!(outcome.code, Some(1), "{moment}:{save} {}{}", outcome.stdout, outcome.stderr);
                assert_eq!(
                    (stage.count("start"), stage.count("result")),
                    (1, 1),
                    "{moment}:{save} {:?}",
                    stage.told()
                );
            }
            let said = stage.posted();
            let about = said
                .iter()
                .filter(|body| body.contains("This is the mean") && body.contains("countersign:finding"))
                .count();
            assert_eq!(about, 1, "{moment}:{save} {said:?}");
        }
    }
}
