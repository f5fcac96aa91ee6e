//! `--compare-version` and the like: the flags of the controller's settings
//! once more, for the settings to compare with.

use std::ffi::OsString;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::cli::options::Settings;
use crate::controller::Overrides;

/// Settings of the controller to compare with: each HPA under them, beside
/// what it does now. Their flags are those of [`Settings`] with another
/// beginning.
#[derive(Clone, Debug, Default)]
pub struct Compare(Settings);

impl Compare {
    /// What to compare with, if anything.
    pub fn overrides(&self) -> Option<Overrides> {
        let change = self.0.overrides();
        (change != Overrides::default()).then_some(change)
    }

    /// The flags of the settings themselves.
    fn settings() -> Command {
        Settings::augment_args(Command::new("compare").no_binary_name(true))
    }

    /// What compares with the setting of a flag.
    fn name(flag: &Arg) -> String {
        let own = flag.get_long().unwrap_or_default();
        format!("compare-{}", own.trim_start_matches("kubernetes-"))
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
        Settings::from_arg_matches(&given).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
