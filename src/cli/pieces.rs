//! The words of a command line, taken apart as clap does, also where they are no
//! command line of ours.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};

/// A piece of a command line.
#[derive(Clone, Debug)]
pub enum Piece {
    /// A word that belongs to no flag.
    Name(OsString),
    /// A flag, with its value where it has one.
    Flag {
        /// `-n` or `--namespace`.
        name: String,
        /// Its value, behind it or the next word.
        value: Option<OsString>,
        /// As it was typed; the letters of `-Av` each for itself.
        words: Vec<OsString>,
    },
}

impl Piece {
    /// A flag without a value.
    pub fn switch(name: &str) -> Self {
        Self::Flag {
            name: name.to_owned(),
            value: None,
            words: vec![name.into()],
        }
    }

    /// The word, if it belongs to no flag and is text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Name(name) => name.to_str(),
            Self::Flag { .. } => None,
        }
    }

    /// Whether it is one of these flags.
    pub fn is_one_of(&self, flags: &[&str]) -> bool {
        self.flag().is_some_and(|(name, _)| flags.contains(&name))
    }

    /// The flag with its value, if it is one.
    pub fn flag(&self) -> Option<(&str, Option<&str>)> {
        match self {
            Self::Name(_) => None,
            Self::Flag { name, value, .. } => {
                Some((name, value.as_ref().and_then(|it| it.to_str())))
            }
        }
    }

    /// The words that it is made of.
    pub fn words(self) -> Vec<OsString> {
        match self {
            Self::Name(name) => vec![name],
            Self::Flag { words, .. } => words,
        }
    }
}

/// The flag of a command, by `-n` or `--namespace`.
pub fn find<'c>(command: &'c Command, flag: &str) -> Option<&'c Arg> {
    let mut own = command.get_arguments().filter(|arg| !arg.is_positional());
    if let Some(long) = flag.strip_prefix("--") {
        return own.find(|arg| {
            let mut aliases = arg.get_all_aliases().into_iter().flatten();
            arg.get_long() == Some(long) || aliases.any(|alias| alias == long)
        });
    }
    let letter = flag.strip_prefix('-')?.parse::<char>().ok()?;
    own.find(|arg| arg.get_short() == Some(letter))
}

/// Whether the next word is the flag's value.
pub fn takes_next(flag: &Arg) -> bool {
    matches!(flag.get_action(), ArgAction::Set | ArgAction::Append)
        && !flag.is_require_equals_set()
        && !may_stand_alone(flag)
}

/// Whether the flag has a value only where one follows that can be no name.
fn may_stand_alone(flag: &Arg) -> bool {
    let values = flag.get_num_args();
    values.is_some_and(|it| it.min_values() == 0 && it.takes_values())
        && !flag.is_require_equals_set()
}

/// Whether a word is an address: a name has no colon.
fn is_address(word: &OsString) -> bool {
    !word.to_string_lossy().starts_with('-') && word.to_string_lossy().contains(':')
}

/// Takes the words apart as clap does.
pub fn pieces(words: &[OsString], command: &Command) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut words = words.iter().cloned().peekable();
    while let Some(word) = words.next() {
        match word.to_str().map(str::to_owned) {
            Some(text) if text == "--" => {
                pieces.extend(
                    [Piece::Name(word)]
                        .into_iter()
                        .chain(words.by_ref().map(Piece::Name)),
                );
            }
            Some(text) if text.starts_with("--") => {
                let (name, value) = match text.split_once('=') {
                    Some((name, value)) => (name, Some(value.into())),
                    None => (text.as_str(), None),
                };
                let flag = find(command, name).filter(|_| value.is_none());
                let is_alone = flag.is_some_and(may_stand_alone);
                let next = if flag.is_some_and(takes_next) {
                    words.next()
                } else {
                    words.next_if(|next| is_alone && is_address(next))
                };
                // clap would take a name for its value.
                let is_before_name = is_alone
                    && next.is_none()
                    && words
                        .peek()
                        .is_some_and(|next| !next.to_string_lossy().starts_with('-'));
                let word = if is_before_name {
                    format!("{name}=").into()
                } else {
                    word
                };
                pieces.push(Piece::Flag {
                    name: name.to_owned(),
                    value: value.or_else(|| next.clone()),
                    words: [Some(word), next].into_iter().flatten().collect(),
                });
            }
            Some(text) if text.len() > 1 && text.starts_with('-') => {
                letters(&text, command, &mut words, &mut pieces);
            }
            _ => pieces.push(Piece::Name(word)),
        }
    }
    pieces
}

/// Takes letters apart that stand together, such as `-Ao json`.
fn letters(
    text: &str,
    command: &Command,
    words: &mut impl Iterator<Item = OsString>,
    pieces: &mut Vec<Piece>,
) {
    let long = text.trim_start_matches('-');
    // A long flag with one hyphen.
    if long.len() > 2 && find(command, &format!("--{long}")).is_some() {
        pieces.push(Piece::switch(text));
        return;
    }
    let mut rest = long.chars();
    while let Some(letter) = rest.next() {
        let name = format!("-{letter}");
        let flag = find(command, &name);
        let inside = rest.as_str().to_owned();
        let is_value = flag.is_none_or(|flag| {
            takes_next(flag) || inside.starts_with(|it: char| it == '=' || it.is_ascii_digit())
        });
        if !is_value {
            pieces.push(Piece::switch(&name));
            continue;
        }
        let own: OsString = format!("{name}{inside}").into();
        let next = flag
            .filter(|flag| inside.is_empty() && takes_next(flag))
            .and_then(|_| words.next());
        let value = match inside.strip_prefix('=') {
            None if inside.is_empty() => next.clone(),
            value => Some(value.unwrap_or(&inside).into()),
        };
        let words = [Some(own), next].into_iter().flatten().collect();
        pieces.push(Piece::Flag { name, value, words });
        return;
    }
}
