//! What other programs found in the change: those that were run elsewhere and left a report, and those of the policy that
//! say where they found what.

use std::collections::HashSet;
use std::time::Duration;

use brain::act::{LinterJob, Linters, Printed};
use domain::change::{Change, RepoPath};
use domain::config::{Config, LinterFormat};
use domain::formats::tool_report::{
    ToolReport, ToolResult, place, read_eslint, read_formatter, read_lines, read_sarif,
};
use domain::review::{Finding, Place};
use domain::text::{brief_line, visible};

use super::Reviewing;

/// Findings on lines that the change added, and what there is to say about where they come from.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) findings: Vec<Finding>,
    /// Programs that looked at the whole change.
    pub(super) looked: Vec<String>,
    pub(super) remarks: Vec<String>,
    /// What has been said, and where: two programs may say the same in the same words.
    said: HashSet<(Place, String)>,
}

impl Found {
    /// Runs the linters that have a format. One that is not there or cannot be run is a remark: the review stands without
    /// it, and nobody should think that it looked.
    pub(super) fn by(reviewing: &Reviewing<'_>, linters: Option<&Linters>) -> Found {
        let mut found = Found::default();
        let change = reviewing.change;
        let root = reviewing.repository.work_tree().and_then(|root| root.to_str());
        let results: Vec<_> = reviewing.reports.iter().flat_map(|report| report.results.clone()).collect();
        found.looked.extend(reviewing.reports.iter().flat_map(|report| report.tools.iter().cloned()));
        found.take("reports of other programs", &results, change, root);
        let Some(linters) = linters else { return found };
        found.remarks.extend(linters.notes.iter().cloned());
        for (name, format, timeout) in formatted(reviewing.order.config, linters) {
            (reviewing.heard)(&format!("Running {name}"));
            let job = LinterJob { name: name.to_owned(), paths: at_head(change), timeout };
            let results = (linters.collect)(&job).and_then(|printed| read(name, format, &printed, change));
            match results {
                Ok(ToolReport { tools, results }) => {
                    found.looked.push(name.to_owned());
                    found.looked.extend(tools.into_iter().filter(|tool| tool != name));
                    found.take(name, &results, change, root);
                }
                Err(reason) => found.remarks.push(format!("Linter {name} found nothing: {reason}")),
            }
        }
        found
    }

    fn take(&mut self, from: &str, results: &[ToolResult], change: &Change, root: Option<&str>) {
        if results.is_empty() {
            return;
        }
        let placed = place(results, change, root);
        let (kept, all) = (placed.findings.len(), results.len());
        self.remarks.push(format!("{from}: {kept} of {all} results lie on lines that the change added"));
        for finding in placed.findings {
            if self.said.insert((finding.place.clone(), finding.message.clone())) {
                self.findings.push(finding);
            }
        }
    }
}

fn formatted<'a>(
    config: &'a Config,
    linters: &'a Linters,
) -> impl Iterator<Item = (&'a str, LinterFormat, Duration)> {
    let can_run = |name: &str| linters.allowed.iter().any(|allowed| allowed == name);
    let all = config.model.linters.iter().filter(move |(name, _)| can_run(name));
    all.filter(|(_, linter)| linter.format != LinterFormat::Text)
        .map(|(name, linter)| (name.as_str(), linter.format, Duration::from_secs(linter.timeout.into())))
}

fn at_head(change: &Change) -> Vec<RepoPath> {
    change.files.iter().filter_map(|file| Some(file.new.as_ref()?.path.clone())).collect()
}

fn unread(printed: &Printed, why: &str) -> String {
    match printed.stdout.trim() {
        "" => format!("it {} and printed no report{}", ending(printed.code), reason(&printed.stderr)),
        _ => format!("what it printed cannot be read: {why}"),
    }
}

fn read(name: &str, format: LinterFormat, printed: &Printed, change: &Change) -> Result<ToolReport, String> {
    // Colours are no part of what is said.
    let plain = |text: &str| visible(text).collect::<String>();
    let alone = |results| ToolReport { tools: Vec::new(), results };
    let output = &printed.stdout;
    let report = match format {
        LinterFormat::Sarif => read_sarif(output).map_err(|bad| unread(printed, &bad.to_string()))?,
        LinterFormat::Eslint => alone(read_eslint(name, output).map_err(|bad| unread(printed, &bad))?),
        LinterFormat::Lines => alone(read_lines(name, &plain(output))),
        // Some name the files on one stream, some on the other.
        LinterFormat::Formatter => {
            alone(read_formatter(name, &plain(&format!("{output}\n{}", printed.stderr)), change))
        }
        LinterFormat::Text => ToolReport::default(),
    };
    // Whoever complains is understood, or has failed. Programs like grep end with 1 where they found nothing.
    let is_silent = output.trim().is_empty() && printed.stderr.trim().is_empty();
    let found_nothing = printed.code == 0 || printed.code == 1 && is_silent;
    if !report.results.is_empty() || found_nothing {
        return Ok(report);
    }
    let said = if printed.stderr.trim().is_empty() { output } else { &printed.stderr };
    Err(format!("it {} and named no place{}", ending(printed.code), reason(said)))
}

/// As the warden tells it, which ends with 128 and the signal where a program was killed.
fn ending(code: i32) -> String {
    match code {
        129..=192 => format!("was ended by signal {}", code - 128),
        _ => format!("ended with {code}"),
    }
}

fn reason(said: &str) -> String {
    let said = brief_line(said);
    if said.is_empty() { said } else { format!(": {said}") }
}
