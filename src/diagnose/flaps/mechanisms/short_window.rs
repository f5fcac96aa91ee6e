//! The load comes and goes, and the scaleDown window ends before it is back:
//! the size falls in each trough and rises again.
//!
//! The window keeps the highest recommendation for as long as it is. So a
//! trough is as long as the window and then the time from the fall to the
//! next rise; where what the metrics asked for is known, it is the time
//! between two passes that asked for much.

use jiff::Timestamp;

use crate::controller::whole_seconds;
use crate::diagnose::Case;
use crate::diagnose::flaps::episode::Episode;
use crate::diagnose::flaps::ground::{Ground, advised, scale_down};
use crate::diagnose::flaps::legs::By;
use crate::snapshot::LONGEST_WINDOW_SECONDS;
use crate::trace::{Change, Fact, Mechanism, MechanismKind, Way, seconds_text};

use super::demand::Demand;
use super::metric_noise::{OWN_TURNS, percent};

/// Windows are suggested in steps of so many seconds.
const STEP: i64 = 30;

pub(super) fn tell(ground: &Ground) -> Option<Mechanism> {
    let episode = ground.flapping()?;
    if episode.own_turns() < OWN_TURNS {
        return None;
    }
    let trough = Trough::of(ground, episode)?;
    let window = window(ground.case);
    let longest = seconds_text(trough.seconds);
    let (back, average) = if trough.is_average {
        ("within", " on average")
    } else {
        ("after up to", "")
    };
    let says = format!(
        "the high load is back {back} {longest}{average}, and the scaleDown window holds {}",
        seconds_text(window)
    );
    let mut evidence = vec![Fact {
        about: "trough".to_owned(),
        says: trough.arithmetic(window),
    }];
    evidence.extend(Demand::of(ground, episode).map(|demand| load(&demand)));
    Some(Mechanism {
        kind: MechanismKind::ShortWindow,
        says,
        evidence,
        changes: longer(ground, episode).into_iter().collect(),
    })
}

/// How far the load moves: more than noise.
fn load(demand: &Demand) -> Fact {
    let least = if demand.is_open { "at least " } else { "" };
    let source = if demand.is_asked {
        "the metrics asked for"
    } else {
        "the sizes were"
    };
    Fact {
        about: "load".to_owned(),
        says: format!(
            "{source} {} to {}: it moves by {least}{} either way of its middle",
            demand.least,
            demand.most,
            percent(demand.least_deviation())
        ),
    }
}

/// The window that would have held the size through the longest trough, and
/// one pass more.
pub(super) fn longer(ground: &Ground, episode: &Episode) -> Option<Change> {
    let trough = Trough::of(ground, episode)?;
    let sync = ground.case.settings.sync_period_seconds();
    let needed = trough.seconds.saturating_add(sync);
    let needed = needed.saturating_add(STEP - 1) / STEP * STEP;
    let most = episode.swing.most;
    let longest = i64::from(LONGEST_WINDOW_SECONDS);
    if needed > longest {
        return Some(advised(format!(
            "a window of {} would hold {most}, and the API allows {}: let fewer pods go at a \
             time with a scaleDown policy",
            seconds_text(needed),
            seconds_text(longest)
        )));
    }
    if needed <= window(ground.case) {
        let says = "the window is as long as the average trough: let fewer pods go at a time with \
                    a scaleDown policy";
        return Some(advised(says.to_owned()));
    }
    let which = if trough.is_average {
        "average"
    } else {
        "longest"
    };
    let says = format!(
        "a scaleDown window of {} in place of {} holds {most} through the {which} trough",
        seconds_text(needed),
        seconds_text(window(ground.case)),
    );
    let field = "stabilizationWindowSeconds";
    Some(scale_down(says, field, &needed.to_string()))
}

/// The longest time between two high loads.
struct Trough {
    seconds: i64,
    /// Whether only an average is known.
    is_average: bool,
    /// From a fall to the next rise, where that is what is known.
    gap: Option<i64>,
}

impl Trough {
    fn of(ground: &Ground, episode: &Episode) -> Option<Self> {
        if let Some(seconds) = between_highs(ground, episode) {
            return Some(Self {
                seconds,
                is_average: false,
                gap: None,
            });
        }
        // What only is counted may have come between a fall and a rise.
        if !episode.untold.is_empty() {
            let period = episode.swing.period_seconds?;
            return Some(Self {
                seconds: i64::from(period.to?),
                is_average: true,
                gap: None,
            });
        }
        let legs = episode.legs.windows(2);
        let gaps = legs.filter_map(|pair| {
            let is_gap = pair[0].way == Way::Down && pair[1].way == Way::Up;
            let is_own = pair.iter().all(|leg| leg.by == By::Hpa);
            (is_gap && is_own).then(|| pair[1].at.duration_since(pair[0].at).as_secs())
        });
        let gap = gaps.max()?;
        Some(Self {
            seconds: window(ground.case).saturating_add(gap),
            is_average: false,
            gap: Some(gap),
        })
    }

    fn arithmetic(&self, window: i64) -> String {
        let whole = seconds_text(self.seconds);
        match self.gap {
            Some(gap) => format!(
                "window {} + at most {} from a fall to the next rise = {whole}",
                seconds_text(window),
                seconds_text(gap)
            ),
            None if self.is_average => {
                format!("{whole} at most, one way and back: the moments in between are not told")
            }
            None => format!("{whole} between two passes that asked for much"),
        }
    }
}

/// The longest time between two passes that asked for more than the middle of
/// what was asked for, with a lower one in between.
fn between_highs(ground: &Ground, episode: &Episode) -> Option<i64> {
    let (begin, end) = (episode.swing.since, episode.swing.until);
    let passes = ground.moves.asked.iter();
    let passes = passes.filter(|pass| (begin..=end).contains(&pass.at));
    let counts: Vec<(Timestamp, i32)> = passes
        .filter_map(|pass| Some((pass.at, pass.replicas.single()?)))
        .collect();
    let all = counts.iter().map(|(_, count)| i64::from(*count));
    let middle = all.clone().min()?.checked_add(all.max()?)? / 2;
    let mut longest = None;
    let mut last_high: Option<Timestamp> = None;
    let mut is_trough = false;
    for (at, count) in counts {
        if i64::from(count) <= middle {
            is_trough = true;
            continue;
        }
        if let Some(last) = last_high.filter(|_| is_trough) {
            longest = longest.max(Some(at.duration_since(last).as_secs()));
        }
        (last_high, is_trough) = (Some(at), false);
    }
    longest
}

/// The scaleDown window in seconds.
fn window(case: &Case) -> i64 {
    let spec = &case.snapshot.horizontal_pod_autoscaler.spec;
    let (_, down) = case.settings.windows(spec);
    whole_seconds(down)
}
