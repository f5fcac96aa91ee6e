//! `--compare-version` and the like: the flags of the controller's settings
//! once more, for the settings to compare with.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::cli::{ExitStatus, Terminal, options, printer};
use crate::controller::{Overrides, Settings};
use crate::history::Observer;
use crate::render::Format;
use crate::snapshot::Snapshot;
use crate::trace::{Comparison, Severity, Untold};
use crate::what_if::{Divergence, compare};

use super::{List, ListInputs, place};

/// Settings of the controller to compare with: each HPA under them, beside
/// what it does now. Their flags are those of [`options::Settings`] with another
/// beginning.
#[derive(Clone, Debug, Default)]
pub struct Compare(options::Settings);

impl Compare {
    /// What to compare with, if anything.
    pub fn overrides(&self) -> Option<Overrides> {
        let change = self.0.overrides();
        (change != Overrides::default()).then_some(change)
    }

    /// The flags of the settings themselves.
    fn settings() -> Command {
        options::Settings::augment_args(Command::new("compare").no_binary_name(true))
    }

    /// What compares with the setting of a flag.
    fn name(flag: &Arg) -> String {
        match flag.get_long().unwrap_or_default() {
            "kubernetes-version" => "compare-version".to_owned(),
            own => format!("compare-{own}"),
        }
    }
}

impl Args for Compare {
    fn augment_args(command: Command) -> Command {
        let settings = Self::settings();
        let flags = settings.get_arguments().cloned().map(|flag| {
            let name = Self::name(&flag);
            let flag = flag.id(name.clone()).long(name);
            flag.help_heading("What would change (only HPAs that differ are listed)")
        });
        command.args(flags)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Compare {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let settings = Self::settings();
        let given = settings.get_arguments().flat_map(|flag| {
            let values = matches.get_raw(&Self::name(flag)).into_iter().flatten();
            let own = flag.get_long().unwrap_or_default();
            values.map(move |value| {
                let mut given = OsString::from(format!("--{own}="));
                given.push(value);
                given
            })
        });
        let given: Vec<OsString> = given.collect();
        let given = settings.clone().try_get_matches_from(given)?;
        options::Settings::from_arg_matches(&given).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Compares the HPAs of a list.
pub fn run(
    list: &List,
    change: &Overrides,
    inputs: &ListInputs,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let overrides = list.settings.overrides();
    let mut comparison = Comparison {
        settings: change.each_setting().map(|(name, _)| name).collect(),
        ..Comparison::default()
    };
    let is_whole = inputs.each(list, terminal, |snapshot, observer, _| {
        match snapshot {
            Ok(snapshot) => add(&mut comparison, snapshot, (&overrides, change), observer),
            Err(unusable) => comparison.failed.push(Untold {
                namespace: unusable.namespace,
                name: unusable.name,
                because: unusable.reason,
            }),
        }
        Ok(())
    })?;
    terminal.text.wide = list.format == Format::Wide;
    printer::print(&comparison, list.format, false, terminal)?;
    // There may be HPAs that not even the comparison names.
    let mut status = ExitStatus::of(!is_whole || !comparison.failed.is_empty());
    // An HPA that differs counts as much as a problem.
    status.note(comparison.items.first().map(|_| Severity::Warning));
    Ok(status.code(list.exit_code))
}

fn add(
    comparison: &mut Comparison,
    snapshot: &Snapshot,
    (overrides, change): (&Overrides, &Overrides),
    observer: &Observer,
) {
    if comparison.release.is_none() && change.release.is_some() {
        let settings = Settings::resolve(snapshot, &overrides.changed_by(change));
        comparison.release = Some(settings.basis().release.clone());
    }
    match compare(snapshot, overrides, change, snapshot.captured_at, observer) {
        Divergence::Differs(compared) => comparison.items.push(*compared),
        Divergence::Same => comparison.same += 1,
        Divergence::Unknown(because) => {
            let (namespace, name) = place(snapshot);
            comparison.unknown.push(Untold {
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                because,
            });
        }
    }
}
