//! What the shell offers for the word at the cursor, in the protocol that
//! kubectl speaks with a plugin's completion helper.
//!
//! kubectl runs `kubectl_complete-hpa_explain WORD… LAST`, where LAST is the
//! word at the cursor, empty where none is begun. Each line of the answer is
//! a candidate, with a description after a tab; the last line is a colon and
//! what else the shell is to do. Whatever fails, the answer is merely short:
//! a message in the middle of a command line helps nobody.

mod sources;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgAction, Command};

use crate::cli::pieces::{Piece, find, pieces, takes_next};
use sources::{ValueSource, candidates};

/// The name under which kubectl looks for the helper.
pub const HELPER: &str = "kubectl_complete-hpa_explain";

/// The word after which the binary is the helper, under its own name.
const COMMAND: &str = "__complete";

/// For cobra, and so for kubectl: complete file names as ever.
const FILES: &str = ":0";

/// For cobra, and so for kubectl: nothing but the candidates.
const NO_FILES: &str = ":4";

/// What may stand at the cursor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The whole word.
    pub value: String,
    /// A few words on it; may be empty.
    pub description: String,
}

impl Candidate {
    /// A candidate; of the description the first line counts.
    pub fn new(value: impl Into<String>, description: &str) -> Self {
        Self {
            value: value.into(),
            description: description.lines().next().unwrap_or_default().to_owned(),
        }
    }
}

/// The words to complete, where the binary is called as the helper.
pub fn words(arguments: &[OsString]) -> Option<Vec<String>> {
    let (program, rest) = arguments.split_first()?;
    let is_helper = Path::new(program).file_stem() == Some(OsStr::new(HELPER));
    let words = match rest.split_first() {
        _ if is_helper => rest,
        Some((first, words)) if first == COMMAND => words,
        _ => return None,
    };
    let words = words.iter().map(|word| word.to_string_lossy().into_owned());
    Some(words.collect())
}

/// Prints the candidates for the last word of a command line.
pub fn run(mut command: Command, words: &[String]) -> ExitCode {
    command.build();
    // Nobody is left to tell where this cannot be written.
    _ = io::stdout().write_all(answer(&command, words).as_bytes());
    ExitCode::SUCCESS
}

fn answer(command: &Command, words: &[String]) -> String {
    let (last, before) = words
        .split_last()
        .map_or(("", words), |(last, before)| (last.as_str(), before));
    let before: Vec<OsString> = before.iter().map(OsString::from).collect();
    let typed = Typed::read(command, &before);
    let (requested, begun) = typed.requested(last);
    if let WordKind::Value(argument) = requested
        && matches!(ValueSource::of(argument), ValueSource::Files)
    {
        return format!("{FILES}\n");
    }
    let mut answer = String::new();
    for candidate in candidates(&typed, requested, begun) {
        answer += &candidate.value;
        if !candidate.description.is_empty() {
            answer += "\t";
            answer += &candidate.description;
        }
        answer += "\n";
    }
    answer + NO_FILES + "\n"
}

/// What the words before the cursor say of what may come next. clap's own parser is of
/// no use here: half a command line is a mistake to it.
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{answer, words};
    use crate::cli::args::Arguments;

    fn complete(line: &str) -> (Vec<String>, String) {
        let mut command = Arguments::command();
        command.build();
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let answer = answer(&command, &words);
        let mut lines: Vec<String> = answer
            .lines()
            .map(|line| line.split('\t').next().unwrap_or_default().to_owned())
            .collect();
        let directive = lines.pop().expect("a directive");
        (lines, directive)
    }

    /// What is typed, what is offered, what else the shell is to do. The last
    /// word follows the last blank.
    const ROWS: [(&str, &str, &str); 29] = [
        ("demo window", "window-band", ":4"),
        ("demo window-band ", "", ":4"),
        ("demo --li", "--list", ":4"),
        ("demo --list --li", "", ":4"),
        (
            "demo -o ",
            "text wide json yaml markdown html name snapshot",
            ":4",
        ),
        ("demo -o j", "json", ":4"),
        ("demo -oj", "", ":4"),
        ("demo --output=y", "yaml", ":4"),
        ("demo -vo y", "yaml", ":4"),
        ("demo -v --verb", "--verbose", ":4"),
        ("demo --color n", "never", ":4"),
        (
            "demo --kubernetes-version 1.3",
            "1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37 1.38",
            ":4",
        ),
        ("completion ", "bash zsh fish powershell install help", ":4"),
        ("completion b", "bash", ":4"),
        ("completion install --dir ", "", ":0"),
        ("capture web -o ", "yaml json", ":4"),
        ("capture web --file ", "", ":0"),
        ("capture --no-r", "--no-redact", ":4"),
        ("--snapshot ", "", ":0"),
        ("--snapshot=", "", ":0"),
        ("-n shop --kubeconfig ", "", ":0"),
        ("--cert", "--certificate-authority", ":4"),
        ("--nosuch=x --cert", "--certificate-authority", ":4"),
        (
            "--insecure-skip-tls-verify --cert",
            "--certificate-authority",
            ":4",
        ),
        (
            "--disable-compression=true --cert",
            "--certificate-authority",
            ":4",
        ),
        ("--token ", "", ":4"),
        ("--token=x", "", ":4"),
        ("demo -- --li", "", ":4"),
        ("help versio", "version", ":4"),
    ];

    #[test]
    fn each_place_has_its_candidates() {
        for (line, offered, directive) in ROWS {
            let (candidates, reported) = complete(line);
            assert_eq!(candidates.join(" "), offered, "{line}");
            assert_eq!(reported, directive, "{line}");
        }
    }

    #[test]
    fn the_helper_is_known_by_its_name_or_its_command() {
        let rows: [(&[&str], Option<&[&str]>); 7] = [
            (
                &["/x/kubectl_complete-hpa_explain", "-n", ""],
                Some(&["-n", ""]),
            ),
            (&["kubectl_complete-hpa_explain.exe", "w"], Some(&["w"])),
            (&["kubectl_complete-hpa_explain"], Some(&[])),
            (&["kubectl-hpa_explain", "__complete", "w"], Some(&["w"])),
            (&["kubectl-hpa_explain", "w", "__complete"], None),
            (&["kubectl-hpa_explain"], None),
            (&[], None),
        ];
        for (arguments, expected) in rows {
            let arguments: Vec<_> = arguments.iter().map(Into::into).collect();
            let expected = expected.map(|words| words.iter().map(ToString::to_string).collect());
            assert_eq!(words(&arguments), expected, "{arguments:?}");
        }
    }
}
