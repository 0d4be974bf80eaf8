//! How a failed ticket is shown to whoever decides about it.

use domain::epic::run::FailedTicket;
use domain::ports::{EpicError, EpicStore as _};
use engine::escalation::OpenEscalation;

use crate::desk::DeskArgs;
use crate::epics::refused;
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty::safe;

const MOST: u32 = 1000;

pub(super) fn show(desk: &DeskArgs, open: &OpenEscalation, format: Listing) -> Result<Exit, Failure> {
    let failed = desk.store.with_store_to_read(async |store| match store.failed_tickets(MOST).await {
        Ok(failed) => Ok(Ok(failed)),
        Err(EpicError::Store(error)) => Err(error),
        Err(other) => Ok(Err(other)),
    })?;
    let failed = failed.map_err(refused)?;
    let one = failed.iter().find(|failed| OpenEscalation::from(*failed).id == open.id);
    let one =
        one.ok_or_else(|| Failure::new(format!("{} cannot be shown", open.name()), "list them again"))?;
    output::print(&match format {
        Listing::Json => output::json(&one.ticket)?,
        Listing::Pretty => page(one, open),
    })?;
    Ok(Exit::Ok)
}

fn page(failed: &FailedTicket, open: &OpenEscalation) -> String {
    let FailedTicket { epic, title, ticket, .. } = failed;
    let mut page = format!(
        "# {}: {}\n\n{}\n",
        open.name(),
        safe(title),
        safe(open.reason.as_deref().unwrap_or_default())
    );
    if let Some(report) = ticket.rejection() {
        page.push_str(&format!("\n## The last review: {}/100\n\n", report.overall_score));
        for issue in &report.blocking_issues {
            page.push_str(&format!("- {}: {}\n", safe(&issue.dimension), safe(&issue.message)));
        }
    }
    page.push_str(&format!(
        "\n## What you can do\n\n- `countersign epic resume {} --retry {}`: it begins again\n",
        epic.id, ticket.id
    ));
    page
}
