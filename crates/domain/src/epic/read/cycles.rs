use super::super::TicketId;
use super::super::yaml::Spot;
use super::reader::Reader;

/// More names than this do not help.
const MOST_NAMES: usize = 12;

/// Notes dependencies that lead back to where they began, each ring once, at the dependency that closes it.
pub(super) fn note(reader: &mut Reader, ids: &[TicketId], edges: &[Vec<(usize, Spot)>]) {
    let mut walk = Walk { state: vec![Visit::New; ids.len()], noted: vec![false; ids.len()] };
    for start in 0..ids.len() {
        if walk.state[start] == Visit::New {
            walk.from(start, edges, &mut |ring, spot| {
                reader.error(
                    spot,
                    format!("these tickets wait for each other: {}", shown(ring, ids)),
                    EXPECTED,
                );
            });
        }
    }
}

const EXPECTED: &str = "dependencies that never lead back to the ticket they began at";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    /// On the way from the start to here.
    Open,
    Left,
}

struct Walk {
    state: Vec<Visit>,
    /// Tickets that stand in a ring already.
    noted: Vec<bool>,
}

impl Walk {
    /// Depth first, without recursion: a chain may be as long as the epic.
    fn from(&mut self, start: usize, edges: &[Vec<(usize, Spot)>], found: &mut impl FnMut(&[usize], Spot)) {
        let mut way = vec![start];
        let mut next = vec![0];
        self.state[start] = Visit::Open;
        while let (Some(&here), Some(tried)) = (way.last(), next.last_mut()) {
            let Some(&(target, spot)) = edges[here].get(*tried) else {
                self.state[here] = Visit::Left;
                way.pop();
                next.pop();
                continue;
            };
            *tried += 1;
            match self.state[target] {
                Visit::New => {
                    self.state[target] = Visit::Open;
                    way.push(target);
                    next.push(0);
                }
                Visit::Open if !(self.noted[here] && self.noted[target]) => {
                    let begin = way.iter().position(|ticket| *ticket == target).unwrap_or_default();
                    way[begin..].iter().for_each(|ticket| self.noted[*ticket] = true);
                    found(&way[begin..], spot);
                }
                Visit::Open | Visit::Left => {}
            }
        }
    }
}

/// `a -> b -> a`
fn shown(ring: &[usize], ids: &[TicketId]) -> String {
    let mut names: Vec<&str> = ring.iter().take(MOST_NAMES).map(|ticket| ids[*ticket].as_str()).collect();
    if ring.len() > MOST_NAMES {
        names.push("...");
    }
    names.extend(ring.first().map(|first| ids[*first].as_str()));
    names.join(" -> ")
}
