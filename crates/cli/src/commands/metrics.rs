use domain::assignments::AgentRates;

use crate::desk::{Access, DeskArgs};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty::{self, Cell, Look, table};

/// Show how often work passes its reviews, by coder and by reviewer.
#[derive(Debug, clap::Args)]
pub(crate) struct Metrics {
    #[command(flatten)]
    desk: DeskArgs,

    /// With json, the same numbers.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Metrics {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let metrics = self.desk.with_desk(Access::Read, async |at| at.desk.metrics().await)?;
        match self.format {
            Listing::Json => output::print(&output::json(&metrics)?)?,
            Listing::Pretty if metrics.coders.is_empty() => {
                pretty::note(
                    "Nothing has been submitted yet. `countersign assignment create` makes a beginning.",
                );
            }
            Listing::Pretty => {
                let width = Look::width_of_lists();
                output::print(&rates("CODER", "SUBMITTED", &metrics.coders, width))?;
                if !metrics.reviewers.is_empty() {
                    output::print(&format!(
                        "\n{}",
                        rates("REVIEWER", "REVIEWED", &metrics.reviewers, width)
                    ))?;
                }
            }
        }
        Ok(Exit::Ok)
    }
}

fn rates(who: &str, count: &str, all: &[AgentRates], width: Option<usize>) -> String {
    let heading = [who, count, "APPROVED", "REJECTED", "RATE", "ESCALATED", "ATTEMPTS"];
    let rows: Vec<Vec<Cell>> = all.iter().map(row).collect();
    table(&heading, &rows, width)
}

fn row(rates: &AgentRates) -> Vec<Cell> {
    let percent = rates.rejection_rate.map(|rate| format!("{:.0}%", rate * 100.0));
    let attempts = rates.mean_attempts_to_approval.map(|mean| format!("{mean:.1}"));
    let or_dash = |text: Option<String>| Cell::number(text.unwrap_or_else(|| "-".to_owned()));
    vec![
        Cell::text(&rates.agent),
        Cell::number(rates.submissions),
        Cell::number(rates.approvals),
        Cell::number(rates.rejections),
        or_dash(percent),
        Cell::number(rates.escalations),
        or_dash(attempts),
    ]
}
