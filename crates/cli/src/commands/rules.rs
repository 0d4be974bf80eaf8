mod examples;
mod own;
mod shown;

use std::path::PathBuf;

use domain::text::nearest;

use self::own::Own;
use self::shown::{Listed, Shown, page, table};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty::Look;

/// What the built-in reviewer looks for.
///
/// A project's own rules, under .countersign/rules/, are read from the working tree here, so that they can be tried;
/// a review reads them from the base commit.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Rules {
    /// List all rules.
    List {
        #[command(flatten)]
        place: Place,
        #[arg(long, default_value = "pretty")]
        format: Listing,
    },
    /// Explain one rule.
    Show {
        /// The rule's id, e.g. stub.
        id: String,
        #[command(flatten)]
        place: Place,
        #[arg(long, default_value = "pretty")]
        format: Listing,
    },
    /// Run the examples of all rules that are data: ours and the project's.
    Test {
        /// Only those of this rule.
        id: Option<String>,
        #[command(flatten)]
        place: Place,
        #[arg(long, default_value = "pretty")]
        format: Listing,
    },
    /// Print the list of built-in rules as documentation.
    Docs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Place {
    /// The repository, or any folder in it [default: this one, if it is in a repository]
    #[arg(long, value_name = "PATH")]
    repo: Option<PathBuf>,
}

impl Rules {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let text = match self {
            Rules::List { place, format } => {
                let all = Own::at(place.repo.as_deref())?.all();
                match format {
                    Listing::Json => output::json(&all.iter().map(Shown::from).collect::<Vec<_>>())?,
                    Listing::Pretty => table(&all, Look::width_of_lists()),
                }
            }
            Rules::Show { id, place, format } => {
                let all = Own::at(place.repo.as_deref())?.all();
                let rule = find(&all, &id)?;
                match format {
                    Listing::Json => output::json(&Shown::from(rule))?,
                    Listing::Pretty => page(rule, Look::width_of_lists()),
                }
            }
            Rules::Test { id, place, format } => {
                let own = Own::at(place.repo.as_deref())?;
                let all = own.all();
                if let Some(id) = &id {
                    find(&all, id)?;
                }
                return examples::run(&own.rules, &all, id.as_deref(), format);
            }
            Rules::Docs => rules::documentation(),
        };
        output::print(&text)?;
        Ok(Exit::Ok)
    }
}

fn find<'a>(rules: &'a [Listed], id: &str) -> Result<&'a Listed, Failure> {
    rules.iter().find(|rule| rule.info.id == id).ok_or_else(|| {
        let hint = match nearest(&id.to_lowercase(), rules.iter().map(|rule| rule.info.id.as_ref())) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "`countersign rules list` shows the rules there are".to_owned(),
        };
        Failure::new(format!("there is no rule `{id}`"), hint)
    })
}
