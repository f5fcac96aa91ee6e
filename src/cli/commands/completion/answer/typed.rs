//! The words before the cursor, as far as they say what may come next.
//!
//! clap's own parser is of no use here: half a command line is a mistake to
//! it.

use clap::{Arg, ArgAction, Command};

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
    /// A flag.
    Flag,
    /// Nothing that is known.
    Nothing,
}

impl<'c> Typed<'c> {
    /// Reads the words before the cursor.
    pub fn read(command: &'c Command, words: &[String]) -> Self {
        let mut typed = Self {
            command,
            positionals: Vec::new(),
            flags: Vec::new(),
            pending: None,
            no_flags: false,
        };
        for word in words {
            typed.take(word);
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
        let flag = match flag.strip_prefix("--") {
            Some(long) => self.long(long),
            None => flag.chars().nth(1).and_then(|short| self.short(short)),
        };
        let flag = flag.filter(|flag| takes_value(flag));
        (flag.map_or(WordKind::Nothing, WordKind::Value), value)
    }

    /// Whether a flag may be given, once more or at all.
    pub fn may_follow(&self, flag: &Arg) -> bool {
        let is_repeatable = matches!(flag.get_action(), ArgAction::Append | ArgAction::Count);
        let is_typed = self.flags.iter().any(|(typed, _)| typed == &flag);
        !flag.is_hide_set() && (is_repeatable || !is_typed)
    }

    fn take(&mut self, word: &str) {
        if let Some(flag) = self.pending.take() {
            self.flags.push((flag, Some(word.to_owned())));
        } else if self.no_flags || !word.starts_with('-') || word == "-" {
            self.take_word(word);
        } else if word == "--" {
            self.no_flags = true;
        } else if let Some(long) = word.strip_prefix("--") {
            self.take_long(long);
        } else {
            self.take_short(&word[1..]);
        }
    }

    fn take_word(&mut self, word: &str) {
        let command = self.command.find_subcommand(word);
        match command.filter(|_| self.may_be_command()) {
            Some(command) => *self = Self::read(command, &[]),
            None => self.positionals.push(word.to_owned()),
        }
    }

    fn take_long(&mut self, word: &str) {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word, None),
        };
        if let Some(flag) = self.long(name) {
            self.take_flag(flag, value);
        }
    }

    /// Flags of one letter, of which the last may be followed by its value.
    fn take_short(&mut self, word: &str) {
        let mut letters = word.chars();
        while let Some(flag) = letters.next().and_then(|letter| self.short(letter)) {
            if takes_value(flag) {
                let rest = letters.as_str();
                let value = (!rest.is_empty()).then(|| rest.strip_prefix('=').unwrap_or(rest));
                return self.take_flag(flag, value.map(str::to_owned));
            }
            self.take_flag(flag, None);
        }
    }

    fn take_flag(&mut self, flag: &'c Arg, value: Option<String>) {
        if value.is_none() && takes_value(flag) && !flag.is_require_equals_set() {
            self.pending = Some(flag);
        } else {
            self.flags.push((flag, value));
        }
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

    fn long(&self, name: &str) -> Option<&'c Arg> {
        let mut flags = self.command.get_arguments();
        flags.find(|flag| flag.get_long() == Some(name))
    }

    fn short(&self, letter: char) -> Option<&'c Arg> {
        let mut flags = self.command.get_arguments();
        flags.find(|flag| flag.get_short() == Some(letter))
    }
}

fn takes_value(flag: &Arg) -> bool {
    flag.get_action().takes_values()
}
