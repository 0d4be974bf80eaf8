use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use domain::epic::report::{EpicReport, Tests};
use domain::epic::run::StoredEpic;
use domain::ports::EpicHold;
use engine::epic::{Ended, Halt, interrupted, report_of, run};
use git::Repository;

use super::{speech, summary};
use crate::epics::{Place, Site};
use crate::failure::Failure;
use crate::loops::{Finished, Lock, Requests, supervised};
use crate::output::{self, Exit, Listing};
use crate::pretty;
use crate::store::KeptOpen;

/// How long a store may take to hear that a run was stopped.
const PATIENCE: Duration = Duration::from_secs(5);

/// Listens for requests to stop. Before the store is touched: who stops a run in its first moments finds that written down.
pub(super) fn listen() -> Result<Requests, Failure> {
    Requests::listen().map_err(|error| {
        Failure::new(format!("signals cannot be listened for: {error}"), "try again; nothing was begun")
    })
}

/// Goes on with a run until it rests, and says what became of it.
pub(super) fn work(
    repository: Repository,
    kept: KeptOpen,
    hold: EpicHold,
    stored: StoredEpic,
    lock: Lock,
    requests: Requests,
    format: Listing,
) -> Result<Exit, Failure> {
    let id = stored.run.order.id.clone();
    let (stop, folder) = (Arc::new(AtomicBool::new(false)), repository.common_dir().to_owned());
    let tickets: Vec<_> = stored.tickets.iter().map(|ticket| ticket.id.clone()).collect();
    let place = Place::of(&repository, &id);
    let site = Site::open(repository, kept, hold, &stored, Arc::clone(&stop), speech::speech())?;
    let site = Arc::new(site);
    let at_work = Arc::clone(&site);
    let worked = supervised(requests, &stop, move || {
        let result = until_it_rests(&at_work, stored, format);
        let ids = at_work.ground.order.tickets.iter().map(|ticket| &ticket.id);
        at_work.place.clear(&at_work.repository, ids).and(result)
    });
    let finished = worked.map_err(|error| {
        Failure::new(format!("the run broke off: {error}"), "go on with `countersign epic resume`")
    })?;
    let exit = match finished {
        Finished::Done(result) => result,
        Finished::Abandoned => {
            let opened = Repository::discover(&folder).map_err(Failure::from);
            opened.and_then(|opened| place.clear(&opened, tickets.iter()))?;
            Ok(Exit::Interrupted)
        }
    };
    if let Ok(Exit::Interrupted) = exit {
        written_down(site);
        pretty::note(&format!("Stopped. Go on with: countersign epic resume {id}"));
    }
    drop(lock);
    exit
}

/// Why it stands still, in the store, the file beside the epic and the report. Who wants to stop is not kept waiting by a
/// store that does not answer.
fn written_down(site: Arc<Site>) {
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let stopped = interrupted(&site.journal.snapshot().run);
        let written = site.journal.save_epic(&stopped, "stopped").and_then(|()| write_report(&site));
        // Whoever waited for it may be gone.
        let _ = tell.send(written.map(drop));
    });
    match told.recv_timeout(PATIENCE) {
        Ok(Ok(())) => {}
        Ok(Err(failure)) => {
            pretty::note(&format!("That it was stopped is not written down: {}", failure.what()));
        }
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            pretty::note("That it was stopped is not written down: the store does not answer");
        }
    }
}

fn until_it_rests(site: &Site, mut stored: StoredEpic, format: Listing) -> Result<Exit, Failure> {
    let ended = match run(&mut stored, &site.ground, site) {
        Ok(ended) => ended,
        Err(Halt::Stopped) => return Ok(Exit::Interrupted),
        Err(Halt::Failed { .. }) if is_stopped_with(&site.stop) => return Ok(Exit::Interrupted),
        Err(Halt::Failed { what, hint }) => return Err(Failure::new(what, hint)),
    };
    let report = write_report(site)?;
    output::print(&summary::summary(
        &report,
        ended,
        &site.ground.order.id,
        &site.journal.report_path(),
        format,
    )?)?;
    Ok(match ended {
        Ended::Completed => Exit::Ok,
        Ended::Failed => Exit::GateSaidNo,
        Ended::Inconclusive => Exit::Inconclusive,
        Ended::Stopped => Exit::Escalated,
    })
}

fn write_report(site: &Site) -> Result<EpicReport, Failure> {
    let report = report(site)?;
    output::write_file(&site.journal.report_path(), &domain::epic::report::markdown(&report))?;
    Ok(report)
}

fn report(site: &Site) -> Result<EpicReport, Failure> {
    let tests = if site.commands.test.is_some() { Tests::Configured } else { Tests::NotConfigured };
    let stored = site.journal.snapshot();
    let mut report = report_of(&stored, &site.ground, tests, site.config.gate.overall);
    for (shown, ticket) in report.tickets.iter_mut().zip(&stored.tickets).filter(|(_, one)| one.is_done()) {
        let tip = site.repository.find_branch(&ticket.branch()).ok().flatten();
        shown.moved_to =
            tip.filter(|tip| Some(tip) != ticket.final_commit.as_ref()).map(|tip| tip.to_string());
    }
    report.unreviewed = site.unreviewed()?;
    Ok(report)
}

/// A terminal's Ctrl-C ends git as well, which may fail us before we hear of it ourselves.
fn is_stopped_with(stop: &AtomicBool) -> bool {
    std::thread::sleep(Duration::from_millis(200));
    stop.load(Ordering::SeqCst)
}
