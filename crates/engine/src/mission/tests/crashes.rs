use std::sync::atomic::Ordering;

use super::stage::Stage;
use crate::mission::{Ended, Halt, Unreviewed};

/// A process that dies before a step is saved has done the step. Whoever goes on does it again, and nothing is there twice.
#[tokio::test(start_paused = true)]
async fn killed_before_any_save_one_start_one_review_and_one_result_are_left() {
    for save in 1..=6 {
        for lines in [vec![], vec![2, 3]] {
            let mut stage = Stage { dies_at_save: save, lines, ..Stage::new() };
            assert!(matches!(stage.run().await, Err(Halt::Failed { .. })), "save {save}");
            stage.dies_at_save = usize::MAX;
            assert_eq!(stage.run().await, Ok(Ended::Done), "save {save}");
            assert_eq!(
                (stage.reports("start"), stage.reports("result")),
                (1, 1),
                "save {save}: {:?}",
                stage.said()
            );
            assert_eq!(
                (stage.forge.open("finding"), stage.forge.open("summary")),
                (stage.lines.len(), 1),
                "save {save}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn killed_while_a_failure_is_reported_it_is_reported_once() {
    for save in 1..=2 {
        let mut stage = Stage { dies_at_save: save, description: "nothing".to_owned(), ..Stage::new() };
        assert!(matches!(stage.run().await, Err(Halt::Failed { .. })), "save {save}");
        stage.dies_at_save = usize::MAX;
        assert_eq!(stage.run().await, Ok(Ended::Failed));
        assert_eq!(stage.said().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn killed_while_a_failure_is_told_again_it_is_told_once_more() {
    let failing = |reason: &str| Some(Unreviewed { reason: reason.into(), hint: String::new() });
    for save in 1..=5 {
        let mut stage = Stage::new();
        for reason in ["no model", "no token"] {
            stage.unreviewed = failing(reason);
            assert_eq!(stage.run().await, Ok(Ended::Failed));
        }
        stage.unreviewed = failing("no model");
        stage.dies_at_save = stage.saves.load(Ordering::SeqCst) + save;
        assert!(matches!(stage.run().await, Err(Halt::Failed { .. })), "save {save}");
        stage.dies_at_save = usize::MAX;
        assert_eq!(stage.run().await, Ok(Ended::Failed));
        assert_eq!((stage.reports("start"), stage.reports("result")), (1, 3), "save {save}");
    }
}
