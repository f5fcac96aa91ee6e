//! The words before the cursor, as far as they say what may come next.
//!
//! clap's own parser is of no use here: half a command line is a mistake to
//! it.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};

use crate::cli::pieces::{Piece, find, pieces, takes_next};

/// What the words before the cursor say.
pub struct Typed<'c> {
    /// The innermost command.
    pub command: &'c Command,
    /// The command's words that belong to no flag.
    pub positionals: Vec<String>,
    /// The flags of that command, each with its value.
    pub flags: Vec<(&'c Arg, Option<String>)>,
    /// A flag whose value is the next word.
    pending: Option<&'c Arg>,
    /// Whether `--` was typed: no flags follow.
    no_flags: bool,
}

/// What the word at the cursor is.
#[derive(Clone, Copy)]
pub enum WordKind<'c> {
    /// The value of a flag, or a word that belongs to none.
    Value(&'c Arg),
    /// A command, or the word that may stand in its place.
    Command(Option<&'c Arg>),
    Flag,
    /// Nothing that is known.
    Nothing,
}

impl<'c> Typed<'c> {
    /// Reads the words before the cursor.
    pub fn read(command: &'c Command, words: &[OsString]) -> Self {
        let mut typed = Self {
            command,
            positionals: Vec::new(),
            flags: Vec::new(),
            pending: None,
            no_flags: false,
        };
        let mut pieces = pieces(words, command).into_iter();
        while let Some(piece) = pieces.next() {
            match piece {
                Piece::Name(word) if word == "--" && !typed.no_flags => typed.no_flags = true,
                Piece::Name(word) => {
                    let inner = command.find_subcommand(&word);
                    if let Some(inner) = inner.filter(|_| typed.may_be_command()) {
                        let rest: Vec<OsString> = pieces.flat_map(Piece::words).collect();
                        return Self::read(inner, &rest);
                    }
                    typed.positionals.push(word.to_string_lossy().into_owned());
                }
                Piece::Flag { name, value, .. } => {
                    let Some(flag) = find(command, &name) else {
                        continue;
                    };
                    if value.is_none() && takes_next(flag) {
                        typed.pending = Some(flag);
                    } else {
                        let value = value.map(|it| it.to_string_lossy().into_owned());
                        typed.flags.push((flag, value));
                    }
                }
            }
        }
        typed
    }

    /// What the word at the cursor is, and the part of it that counts: of
    /// `--flag=value` the shells complete the value alone.
    pub fn requested<'w>(&self, word: &'w str) -> (WordKind<'c>, &'w str) {
        if let Some(flag) = self.pending {
            return (WordKind::Value(flag), word);
        }
        if self.no_flags || !word.starts_with('-') {
            let positional = self.next_positional();
            let requested = match positional {
                _ if self.may_be_command() => WordKind::Command(positional),
                Some(positional) => WordKind::Value(positional),
                None => WordKind::Nothing,
            };
            return (requested, word);
        }
        let Some((flag, value)) = word.split_once('=') else {
            return (WordKind::Flag, word);
        };
        let flag = find(self.command, flag).filter(|flag| flag.get_action().takes_values());
        (flag.map_or(WordKind::Nothing, WordKind::Value), value)
    }

    /// Whether a flag may be given, once more or at all.
    pub fn may_follow(&self, flag: &Arg) -> bool {
        let is_repeatable = matches!(flag.get_action(), ArgAction::Append | ArgAction::Count);
        let is_typed = self.flags.iter().any(|(typed, _)| typed == &flag);
        !flag.is_hide_set() && (is_repeatable || !is_typed)
    }

    /// A command comes first, where flags and commands exclude each other
    /// before any flag too.
    fn may_be_command(&self) -> bool {
        let excluded = self.command.is_args_conflicts_with_subcommands_set();
        self.command.has_subcommands()
            && self.positionals.is_empty()
            && !self.no_flags
            && (self.flags.is_empty() || !excluded)
    }

    /// The next word that belongs to no flag; the last one may be repeated.
    fn next_positional(&self) -> Option<&'c Arg> {
        let positionals: Vec<&Arg> = self.command.get_positionals().collect();
        let next = positionals.get(self.positionals.len());
        let repeated = positionals
            .last()
            .filter(|last| matches!(last.get_action(), ArgAction::Append));
        next.or(repeated).copied()
    }
}
