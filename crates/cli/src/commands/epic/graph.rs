use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use domain::cycle::TicketStatus;
use domain::epic::graph::{Known, mermaid, svg};
use domain::epic::{EpicState, Plan, TicketId};
use domain::ports::EpicStore as _;
use git::Repository;
use serde::Serialize;

use super::load::{Loaded, load};
use crate::documents::read_text;
use crate::epics::{self, state_path};
use crate::failure::Failure;
use crate::output::{self, Exit};
use crate::pretty;
use crate::store::StoreArgs;

/// Draw the tickets of an epic and what they wait for.
///
/// Statuses come from epic-state.json beside the epic, or from the store where that is missing or broken; an epic that was
/// never run has only pending tickets.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign epic graph epics/login/epic.yaml                  for Markdown on a forge\n  \
    countersign epic graph epics/login/epic.yaml --format svg -o login.svg")]
pub(crate) struct Graph {
    /// The epic.
    #[arg(value_name = "EPIC.yaml")]
    epic: PathBuf,

    #[arg(long, default_value = "mermaid")]
    format: Format,

    /// Write it to a file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    store: StoreArgs,
}

type Statuses = BTreeMap<String, TicketStatus>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Mermaid,
    Svg,
    Json,
}

/// What `--format json` prints.
#[derive(Serialize)]
struct Drawing {
    epic: String,
    tickets: Vec<Node>,
    waves: Vec<Vec<String>>,
}

#[derive(Serialize)]
struct Node {
    id: String,
    title: Option<String>,
    status: TicketStatus,
    depends_on: Vec<String>,
}

impl Graph {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let loaded = load(&self.epic)?.map_err(|problems| {
            let first = problems
                .problems
                .first()
                .map(|problem| format!("{}: {}", problem.location(), problem.message));
            Failure::new(
                first.unwrap_or_else(|| format!("{} is no epic", self.epic.display())),
                format!("countersign epic validate {} names everything that is wrong", self.epic.display()),
            )
        })?;
        let known = Known { titles: titles(&loaded), statuses: self.statuses(&loaded.epic.document.id)? };
        let text = match self.format {
            Format::Mermaid => mermaid(&loaded.epic.document, &known),
            Format::Svg => svg(&loaded.epic.document, &known),
            Format::Json => output::json(&drawing(&loaded, &known))?,
        };
        match self.output.as_deref() {
            Some(file) if file != Path::new("-") => output::write_file(file, &text)?,
            Some(_) | None => output::print(&text)?,
        }
        Ok(Exit::Ok)
    }

    fn statuses(&self, id: &TicketId) -> Result<Statuses, Failure> {
        let file = state_path(&self.epic, id);
        if !file.exists() {
            return self.stored(id);
        }
        match EpicState::parse(&read_text(&file)?) {
            Ok(state) => Ok(state.tickets.into_iter().map(|(id, ticket)| (id, ticket.status)).collect()),
            Err(bad) => {
                pretty::note(&format!("{} is left out: {bad}", file.display()));
                self.stored(id)
            }
        }
    }

    /// What the store of the epic's repository knows. Outside of any there is none to ask.
    fn stored(&self, id: &TicketId) -> Result<Statuses, Failure> {
        let Ok(repository) = Repository::discover(&self.store.root()) else { return Ok(Statuses::new()) };
        let key = epics::key_of(&repository, id);
        let stored = self.store.with_store_to_read(async |store| Ok(store.epic(&key).await))?;
        let tickets = stored.map_err(epics::refused)?.map(|stored| stored.tickets).unwrap_or_default();
        Ok(tickets.iter().map(|ticket| (ticket.id.to_string(), ticket.status())).collect())
    }
}

fn titles(loaded: &Loaded) -> BTreeMap<String, String> {
    let entries = loaded.epic.document.tickets.iter().zip(&loaded.tickets);
    entries.filter_map(|(entry, item)| Some((entry.id.to_string(), item.as_ref()?.title.clone()))).collect()
}

fn drawing(loaded: &Loaded, known: &Known) -> Drawing {
    let epic = &loaded.epic.document;
    let id = |index: &domain::epic::TicketIndex| epic.tickets[index.0].id.to_string();
    let node = |entry: &domain::epic::TicketEntry| Node {
        id: entry.id.to_string(),
        title: known.titles.get(entry.id.as_str()).cloned(),
        status: known.statuses.get(entry.id.as_str()).copied().unwrap_or(TicketStatus::Pending),
        depends_on: entry.depends_on.iter().map(ToString::to_string).collect(),
    };
    Drawing {
        epic: epic.id.to_string(),
        tickets: epic.tickets.iter().map(node).collect(),
        waves: Plan::of(epic).waves.iter().map(|wave| wave.iter().map(id).collect()).collect(),
    }
}
