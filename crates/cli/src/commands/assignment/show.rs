use domain::assignments::{AssignmentId, ReviewDocument};
use domain::ports::TaskStore;

use super::{assignment_id, view};
use crate::desk::{Access, DeskArgs};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};

/// Show one assignment, its reviews and everything that happened to it.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// The assignment, as `assignment list` shows it.
    #[arg(value_name = "ID", value_parser = assignment_id)]
    pub(super) id: AssignmentId,

    #[command(flatten)]
    pub(super) desk: DeskArgs,

    /// With json, everything that is stored.
    #[arg(long, default_value = "pretty")]
    pub(super) format: Listing,
}

impl Show {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let (said, events, now) = self.desk.with_desk(Access::Read, async |at| {
            let said = at.desk.feedback(at.caller, self.id).await?;
            Ok((said, at.desk.events(self.id).await?, at.desk.store.now().await?))
        })?;
        output::print(&match self.format {
            Listing::Json => {
                let mut shown = view::json(&said.assignment);
                let reviews: Vec<_> = said.reviews.iter().map(ReviewDocument::from).collect();
                shown["reviews"] = serde_json::json!(reviews);
                shown["events"] = serde_json::json!(events);
                output::json(&shown)?
            }
            Listing::Pretty => view::page(&said.assignment, &said.reviews, &events, now),
        })?;
        Ok(Exit::Ok)
    }
}
