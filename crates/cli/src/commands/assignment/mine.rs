use domain::ports::TaskStore;
use engine::assignments;

use super::view;
use crate::desk::{Access, DeskArgs};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty::{self, Look};

/// Show what is up to you: the work a coder has, or what waits for a reviewer.
#[derive(Debug, clap::Args)]
pub(crate) struct Mine {
    #[command(flatten)]
    desk: DeskArgs,

    /// With json, the assignment as a whole, or null.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Mine {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let (mine, now) = self.desk.with_desk(Access::Read, async |at| {
            Ok((at.desk.mine(at.caller).await?, at.desk.store.now().await?))
        })?;
        match self.format {
            Listing::Json => {
                let shown = serde_json::json!({ "assignment": mine.assignment().map(view::json) });
                output::print(&output::json(&shown)?)?;
            }
            Listing::Pretty => match mine.assignment() {
                Some(found) => {
                    output::print(&view::list(std::slice::from_ref(found), now, Look::width_of_lists()))?;
                    pretty::note(&next(&mine));
                }
                None => pretty::note("Nothing is up to you."),
            },
        }
        Ok(Exit::Ok)
    }
}

fn next(mine: &assignments::Mine) -> String {
    match mine {
        assignments::Mine::Work(work) => format!("`countersign assignment accept {}` begins it.", work.id),
        assignments::Mine::Review(work) => {
            let (id, attempt) = (work.id, work.review_attempt());
            format!(
                "`countersign assignment review {id} --attempt {attempt} --approve|--reject` ends its review."
            )
        }
        assignments::Mine::Nothing => String::new(),
    }
}
