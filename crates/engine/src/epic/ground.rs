use domain::cycle::{BadLimits, Limits};
use domain::epic::run::{EpicOrder, TicketRun};
use domain::epic::{EpicDocument, EpicFile, Plan, Problems, TicketBounds, TicketIndex};
use domain::work::WorkItem;

/// Everything about an epic that does not change while it is run.
#[derive(Debug, Clone)]
pub struct Ground {
    pub order: EpicOrder,
    pub document: EpicDocument,
    pub plan: Plan,
    /// In the order of the epic, as all of these.
    pub items: Vec<WorkItem>,
    pub bounds: Vec<TicketBounds>,
}

/// Why an epic cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum BadGround {
    #[error("{0}")]
    Epic(#[from] Problems),
    #[error("ticket {ticket}: {bad}")]
    Limits { ticket: String, bad: BadLimits },
    #[error("the text of ticket {0} is missing")]
    NoText(String),
}

impl Ground {
    /// `project` are the limits of `countersign.yaml`.
    pub fn of(order: EpicOrder, project: &Limits) -> Result<Ground, BadGround> {
        let document = EpicFile::parse_begun(&order.path, &order.text)?.document;
        let mut items = Vec::with_capacity(document.tickets.len());
        let mut bounds = Vec::with_capacity(document.tickets.len());
        for entry in &document.tickets {
            let text = order.tickets.iter().find(|ticket| ticket.id == entry.id);
            let text = text.ok_or_else(|| BadGround::NoText(entry.id.to_string()))?;
            let mut item = WorkItem::parse(&text.path, &text.text);
            item.id = entry.id.to_string();
            items.push(item);
            let own = document.limits.bounds(entry, project);
            bounds.push(own.map_err(|bad| BadGround::Limits { ticket: entry.id.to_string(), bad })?);
        }
        let plan = Plan::of(&document);
        Ok(Ground { order, document, plan, items, bounds })
    }

    pub fn index(&self, ticket: &TicketRun) -> Option<TicketIndex> {
        self.document.tickets.iter().position(|entry| entry.id == ticket.id).map(TicketIndex)
    }

    pub fn item(&self, index: TicketIndex) -> Option<&WorkItem> {
        self.items.get(index.0)
    }

    pub fn bounds(&self, index: TicketIndex) -> Option<&TicketBounds> {
        self.bounds.get(index.0)
    }
}
