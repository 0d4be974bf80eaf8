use domain::formats::schema;

use crate::failure::Failure;
use crate::output::{self, Exit};

/// Print the JSON schema of a document Countersign reads or writes.
///
/// Without a name it lists the schemas there are.
#[derive(Debug, clap::Args)]
pub(crate) struct Schema {
    /// Which one, e.g. review-report.
    name: Option<String>,
}

impl Schema {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let Some(name) = self.name else {
            let names: String = schema::names().map(|name| format!("{name}\n")).collect();
            output::print(&names)?;
            return Ok(Exit::Ok);
        };
        let Some(schema) = schema::schema(&name) else {
            return Err(Failure::new(
                format!("there is no schema `{name}`"),
                format!("the schemas are {}", schema::names().collect::<Vec<_>>().join(", ")),
            ));
        };
        output::print(&output::json(&schema)?)?;
        Ok(Exit::Ok)
    }
}
