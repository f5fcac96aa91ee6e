//! What people type that is no command line of ours, but means one: kubectl's
//! verbs before a name, its flags, a flag in front of its command. What leads
//! nowhere is refused with the command that does.

use std::ffi::OsString;
use std::path::Path;

use clap::builder::PossibleValue;
use clap::error::{Error, ErrorKind};
use clap::{Arg, ArgAction, Command};

use super::commands::meaning;
use super::jq::{self, Fields};
use super::pieces::{Piece, find, pieces};
use super::select::{is_hpa, is_kind};
use crate::api::names::is_subdomain;
use crate::cli::kind::FileKind;
use crate::document::manifest::Assignment;
use crate::document::{levenshtein, nearest};
use crate::trace::shell_word;

/// How the plugin is called.
const PLUGIN: &str = "kubectl hpa-explain";

/// What people put before a name, and leave out where nothing can be told of
/// it but why.
const VERBS: [&str; 4] = ["get", "describe", "explain", "why"];

/// The same, where a name follows.
const VERBS_BEFORE_NAMES: [&str; 2] = ["show", "status"];

/// What kubectl does with a file.
const FILE_VERBS: [&str; 4] = ["apply", "create", "diff", "replace"];

/// What other tools call a command: one of ours with its arguments. The name alone
/// may be that of an HPA.
const COMMANDS: [(&str, Instead); 14] = [
    ("audit", Operands::lint),
    ("auth", |_| "rbac".to_owned()),
    ("check", Operands::lint),
    ("dump", Operands::capture),
    ("export", Operands::capture),
    ("flapping", |it| format!("flaps {}", it.named)),
    ("follow", |it| format!("watch {}", it.named)),
    ("history", |it| format!("flaps {}", it.named)),
    ("save", Operands::capture),
    ("snapshot", Operands::capture),
    ("test", Operands::lint),
    ("upgrade", |_| "list --compare-version VERSION".to_owned()),
    ("validate", Operands::lint),
    ("verify", Operands::lint),
];

/// What other tools call a flag: one that some commands have, and what follows it.
const FLAGS: [(&str, &str, &str); 24] = [
    ("--compare-version", "--all-versions", ""),
    ("--format", "-o", ""),
    ("--debug", "-v", ""),
    ("--timeout", "--request-timeout", ""),
    ("--label", "-l", ""),
    ("--sort", "--sort-by", ""),
    ("--ns", "--namespace", ""),
    ("--file", "-f", ""),
    ("-f", "--file", ""),
    ("--filename", "--file", ""),
    ("--output-file", "--file", ""),
    ("--json", "-o", " json"),
    ("--yaml", "-o", " yaml"),
    ("--no-color", "--color", " never"),
    ("--kube-context", "--context", ""),
    ("--k8s-version", "--kubernetes-version", ""),
    ("--all", "-A", ""),
    ("-a", "-A", ""),
    ("--duration", "--for", ""),
    ("--since", "--for", ""),
    ("--last", "--for", ""),
    ("--patch", "--set", " PATH=VALUE"),
    (
        "--horizontal-pod-autoscaler-sync-period",
        "--sync-period",
        "",
    ),
    ("--horizontal-pod-autoscaler-tolerance", "--tolerance", ""),
];

/// What to run instead, for what was typed: a command line of ours, or a sentence that
/// tells who does it.
type Instead = fn(&Operands) -> String;

/// What kubectl does, or other tools do, even without a name, and who does it.
const ELSEWHERE: [(&str, Instead); 15] = [
    ("annotate", |it| it.changes("annotate")),
    ("autoscale", |it| {
        format!("`kubectl autoscale` makes an HPA; {}", it.tries())
    }),
    ("delete", |it| {
        format!("`kubectl delete hpa {}` deletes it", it.hpa)
    }),
    ("diff", |it| {
        format!(
            "`{PLUGIN} dry-run {} -f FILE` shows what it would change",
            it.named
        )
    }),
    ("edit", |it| it.changes("edit")),
    ("events", |it| {
        format!("`kubectl events --for hpa/{}` lists them", it.hpa)
    }),
    ("label", |it| it.changes("label")),
    ("logs", |it| {
        format!(
            "`{PLUGIN} watch {}` follows the passes of an HPA; it has no log of its own",
            it.named
        )
    }),
    ("patch", |it| it.changes("patch")),
    ("rollout", |it| {
        format!(
            "`kubectl rollout status` follows a rollout; `{PLUGIN} {}` explains the HPA",
            it.named
        )
    }),
    ("scale", |it| {
        format!(
            "the HPA overrides what `kubectl scale` sets; `{PLUGIN} dry-run {} --set spec.minReplicas={}` tries a bound",
            it.named, it.number
        )
    }),
    ("set", Operands::tries),
    ("status", |it| format!("`{PLUGIN} {}` shows it", it.named)),
    ("top", |it| {
        format!("`{PLUGIN} {} -v` shows what each pod uses", it.named)
    }),
    ("wait", |it| {
        format!("`{PLUGIN} watch {}` follows its passes", it.named)
    }),
];

/// What a hint names, ready for a shell, in the namespace that is given.
struct Operands {
    number: String,
    hpa: String,
    /// An HPA or its target.
    named: String,
    file: String,
}

impl Operands {
    fn lint(&self) -> String {
        format!("lint {}", self.file)
    }

    fn capture(&self) -> String {
        format!("capture {} --file FILE", self.named)
    }

    fn changes(&self, verb: &str) -> String {
        let tries = self.tries();
        format!("`kubectl {verb} hpa {}` changes it; {tries}", self.hpa)
    }

    fn tries(&self) -> String {
        let named = &self.named;
        format!("`{PLUGIN} dry-run {named} --set spec.maxReplicas=20` tries a change")
    }
}

/// The field of the most usual target.
const CPU_TARGET: &str = "spec.metrics[0].resource.target.averageUtilization";

/// The format of the output, by its letter and its name.
const OUTPUT: [&str; 2] = ["-o", "--output"];

/// A manifest, the same way.
const FILES: [&str; 2] = ["-f", "--filename"];

/// All namespaces, the same way.
const EVERYWHERE: [&str; 2] = ["-A", "--all-namespaces"];

/// The namespace of an HPA.
const IN_NAMESPACE: [&str; 2] = ["-n", "--namespace"];

/// What, like a namespace, only an HPA is explained with.
const OF_AN_HPA: [&str; 5] = ["--snapshot", "--history", "--prometheus", "--at", "--since"];

/// What kubectl watches with.
const WATCHES: [&str; 4] = ["-w", "--watch", "--watch-only", "--follow"];

/// More of a verbosity than this shows nothing more.
const MOST_VERBOSE: usize = 2;

/// The command line that is meant.
pub struct Intended {
    /// Its words, for clap.
    pub words: Vec<OsString>,
    /// What was read otherwise than it was typed.
    pub notes: Vec<String>,
    /// What does the same with the record alone, where one is given.
    pub alone: Option<String>,
}

/// Reads what was typed, the program's name first.
/// Errors: what was typed leads nowhere; what does is said.
pub fn intended(typed: Vec<OsString>, root: &Command) -> Result<Intended, Error> {
    let mut words = typed.into_iter();
    let program = words.next();
    let mut rest: Vec<OsString> = words.collect();
    let pieces = pieces(&rest, root);
    let first = pieces.iter().position(|piece| piece.text().is_some());
    let own = first.and_then(|at| Some((at, root.find_subcommand(pieces[at].text()?)?)));
    let own = own.filter(|(_, own)| own.get_name() != "explain" || opens_a_page(&pieces));
    let mut line = CommandLine {
        root,
        command: None,
        pieces,
        notes: Vec::new(),
    };
    if let Some((at, own)) = own {
        if matches!(own.get_name(), "help" | "completion") {
            let rest = line.help_of(own, rest)?;
            return Ok(Intended {
                words: program.into_iter().chain(rest).collect(),
                notes: Vec::new(),
                alone: None,
            });
        }
        line.pieces.remove(at);
        let is_others = |it: &Piece| it.flag().is_some_and(|(flag, _)| find(own, flag).is_none());
        if own.get_name() == "explain" && line.pieces.iter().any(is_others) {
            line.pieces.retain(|it| !is_others(it));
            let note = "note: a code opens its page, and needs no HPA";
            line.notes.push(note.to_owned());
        }
        line.turn_to(own);
    }
    line.help();
    line.skip()?;
    line.commands()?;
    line.flags()?;
    line.types();
    line.addresses();
    line.files()?;
    line.roles()?;
    let alone = line.alone();
    rest = line.words();
    Ok(Intended {
        words: program.into_iter().chain(rest).collect(),
        notes: line.notes,
        alone,
    })
}

/// Whether nothing follows the word `explain`, or a code, or alone what can be no name.
/// Any other word is the name of an HPA.
fn opens_a_page(pieces: &[Piece]) -> bool {
    let words: Vec<&str> = pieces.iter().filter_map(Piece::text).collect();
    match words[..] {
        [_, word] => {
            let is_name = is_subdomain(word) || word.contains('/');
            let mut flags = pieces.iter().filter_map(Piece::flag).map(|(flag, _)| flag);
            let is_of_an_hpa =
                flags.any(|it| IN_NAMESPACE.contains(&it) || OF_AN_HPA.contains(&it));
            meaning::is_known(word) || !is_name && !is_of_an_hpa
        }
        _ => pieces.len() == 1,
    }
}

struct CommandLine<'c> {
    root: &'c Command,
    /// None for an explanation.
    command: Option<&'c Command>,
    pieces: Vec<Piece>,
    notes: Vec<String>,
}

impl<'c> CommandLine<'c> {
    fn definition(&self) -> &'c Command {
        self.command.unwrap_or(self.root)
    }

    fn is(&self, name: &str) -> bool {
        self.command.is_some_and(|own| own.get_name() == name)
    }

    /// Makes it a line of another command, whose flags may take values that
    /// those of the first one do not.
    fn turn_to(&mut self, command: &'c Command) {
        let words: Vec<OsString> = self.pieces.drain(..).flat_map(Piece::words).collect();
        self.command = Some(command);
        self.pieces = pieces(&words, command);
    }

    fn turn_to_named(&mut self, name: &str, because: &str) {
        if let Some(command) = self.root.find_subcommand(name) {
            self.turn_to(command);
            self.notes
                .push(format!("note: {because}: read as {}", self.shown()));
        }
    }

    fn words(&mut self) -> Vec<OsString> {
        let command = self.command.map(|own| own.get_name().into());
        let pieces = self.pieces.drain(..).flat_map(Piece::words);
        command.into_iter().chain(pieces).collect()
    }

    /// The whole command, to copy.
    fn shown(&self) -> String {
        let command = self.command.map(|own| format!(" {}", own.get_name()));
        format!(
            "{PLUGIN}{}{}",
            command.unwrap_or_default(),
            shown(&self.pieces)
        )
    }

    /// What follows `help` or `completion`, each with commands of its own.
    fn help_of(&self, own: &Command, rest: Vec<OsString>) -> Result<Vec<OsString>, Error> {
        let is_help = own.get_name() == "help";
        let named = self.named();
        if let Some((_, word)) = named.get(1) {
            let of = if is_help { self.root } else { own };
            let known = of.get_subcommands().map(Command::get_name);
            let known: Vec<&str> = known.filter(|it| *it != "help").collect();
            let near = nearest(word, &known).filter(|it| is_slip(word, it));
            let hint = match near {
                _ if of.find_subcommand(word).is_some() => None,
                _ if !is_help => Some(format!("there are these: {}", known.join(", "))),
                Some(near) => Some(format!("`{PLUGIN} help {near}`")),
                None => Some(format!("`{PLUGIN} --help` has all commands")),
            };
            if let Some(hint) = hint {
                let noun = if is_help { "a command" } else { "a shell here" };
                return Err(refused(&format!("{word} is not {noun}"), Some(&hint)));
            }
        }
        // Its own `-h` would be taken for a command.
        let is_short = self.has(&["-h"]);
        let words = named.iter().skip(usize::from(is_short));
        let words = words.map(|(_, word)| OsString::from(word));
        let words = words.chain(is_short.then(|| "-h".into()));
        Ok(if is_help { words.collect() } else { rest })
    }

    /// `list help` is `list --help`.
    fn help(&mut self) {
        if self.command.is_some()
            && let [(at, "help")] = self.named()[..]
        {
            self.pieces[at] = Piece::switch("--help");
        }
    }

    /// What does the same without a cluster, where there is a record.
    fn alone(&self) -> Option<String> {
        let others = ["--at", "--snapshot", "-l", "--selector"];
        let has_moments = self.command.is_none() || self.is("flaps");
        let has_others = self.has(&others) || self.has(&EVERYWHERE);
        (has_moments && self.has(&["--history"]) && !has_others)
            .then(|| format!("{} --at -0s", self.shown()))
    }

    /// A role is for all HPAs of a namespace.
    fn roles(&self) -> Result<(), Error> {
        if !self.is("rbac") {
            return Ok(());
        }
        let known = self.definition().get_positionals().next();
        let known = known.map(Arg::get_possible_values).unwrap_or_default();
        let named = self.named();
        let mut others = named
            .iter()
            .filter(|(_, name)| !known.iter().any(|it| it.matches(name, false)));
        let Some((_, name)) = others.next() else {
            return Ok(());
        };
        let known = known.iter().flat_map(PossibleValue::get_name_and_aliases);
        let known: Vec<&str> = known.collect();
        Err(refused(
            &format!("rbac has no role for {name}, but for {}", known.join(", ")),
            Some(&format!(
                "`{PLUGIN} rbac -n NAMESPACE` is for all of these, and for every HPA of a namespace"
            )),
        ))
    }

    /// Its names, each with its place.
    fn named(&self) -> Vec<(usize, &str)> {
        let pieces = self.pieces.iter().enumerate();
        pieces
            .filter_map(|(at, piece)| Some((at, piece.text()?)))
            .collect()
    }

    fn has(&self, flags: &[&str]) -> bool {
        self.pieces.iter().any(|piece| piece.is_one_of(flags))
    }

    /// The values that these flags are given.
    fn values(&self, flags: &[&str]) -> impl Iterator<Item = &str> {
        let given = self.pieces.iter().filter(|piece| piece.is_one_of(flags));
        given.filter_map(|piece| piece.flag()?.1)
    }

    fn output(&self) -> Option<&str> {
        self.values(&OUTPUT).next()
    }

    fn flags(&mut self) -> Result<(), Error> {
        if let Some((language, filter)) =
            self.output().and_then(|it| jq::same_as(it, self.fields()))
        {
            let language = language.to_owned();
            self.pieces.retain(|piece| !piece.is_one_of(&OUTPUT));
            let shown = self.shown();
            let text = format!("-o {language} is not available; use: {shown} -o json | {filter}");
            let hint = (filter == jq::ALL).then_some(jq::OTHER_FIELDS);
            return Err(refused(&text, hint));
        }
        // Once it named a file.
        let file = self.output().filter(|it| !matches!(*it, "yaml" | "json"));
        if let Some(file) = file.filter(|_| self.is("capture")) {
            let file = if file == "snapshot" { "FILE" } else { file };
            let file = shell_word(file);
            let text = format!("-o yaml and -o json print; --file {file} writes a file");
            return Err(refused(&text, None));
        }
        // The first one would be passed over without a word.
        for flag in ["--snapshot", "--history"] {
            let given = self.pieces.iter().filter(|piece| piece.is_one_of(&[flag]));
            if given.count() > 1 {
                let text = format!("{flag} is there twice, and a run reads one file");
                return Err(refused(&text, Some("run it once for each")));
            }
        }
        self.lists()?;
        self.fields_to_set()?;
        self.switches();
        self.name_of_file();
        self.verbosity()?;
        if (self.command.is_none() || self.is("list") || self.is("watch")) && self.has(&WATCHES) {
            let mut flags = self.pieces.iter().filter_map(Piece::flag);
            let typed = flags.find(|(name, _)| WATCHES.contains(name));
            let typed = typed.map_or_else(String::new, |(name, _)| name.to_owned());
            self.pieces.retain(|piece| !piece.is_one_of(&WATCHES));
            if self.named().is_empty() {
                let text = format!("watch follows one HPA: {PLUGIN} watch NAME");
                return Err(refused(&text, None));
            }
            if !self.is("watch") {
                self.turn_to_named("watch", &format!("{typed} is a command of its own"));
            }
        }
        if self.command.is_none() && self.has(&EVERYWHERE) && !self.named().is_empty() {
            self.turn_to_named("list", "-A lists");
        }
        let Some((flag, value)) = self.unknown() else {
            return Ok(());
        };
        if self.command.is_none() && FILES.contains(&flag.as_str()) {
            let file = value.unwrap_or_else(|| "FILE".to_owned());
            let kind = FileKind::of_file(Path::new(&file));
            let hint = self.way(&file, kind.unwrap_or((FileKind::Manifest, None)));
            return Err(refused("-f needs a command", Some(&hint)));
        }
        let list = self.root.find_subcommand("list");
        if self.command.is_none() && list.is_some_and(|list| find(list, &flag).is_some()) {
            self.turn_to_named("list", &format!("{flag} lists"));
        }
        if self.is("list") && self.has(&["-l", "--selector"]) && !self.named().is_empty() {
            self.pieces.retain(|piece| piece.text().is_none());
            let hint = format!("`{}`", self.shown());
            let text = "-l cannot be used with names";
            return Err(refused(text, Some(&hint)));
        }
        match self.unknown() {
            Some((flag, value)) => Err(self.unknown_flag(&flag, value.as_deref())),
            None => Ok(()),
        }
    }

    /// Names with commas between them are no name.
    fn lists(&mut self) -> Result<(), Error> {
        let is_list = |name: &str| {
            let has_names = name.split(',').any(|it| !it.is_empty());
            name.contains(',') && !name.contains('=') && has_names
        };
        let list = self.named().into_iter().find(|(_, name)| is_list(name));
        if let Some((at, list)) = list.filter(|_| self.takes_names()) {
            let mut positionals = self.definition().get_positionals();
            let is_many = positionals.any(|it| matches!(it.get_action(), ArgAction::Append));
            let (most, rule) = if is_many {
                (usize::MAX, "names stand apart")
            } else {
                (1, "one name at a time")
            };
            let message = format!("{list} is not a name");
            let names = list.split(',').filter(|name| !name.is_empty()).take(most);
            let names: Vec<Piece> = names.map(|name| Piece::Name(name.into())).collect();
            self.pieces.splice(at..=at, names);
            let hint = format!("{rule}: `{}`", self.shown());
            return Err(refused(&message, Some(&hint)));
        }
        Ok(())
    }

    /// A field with its value is no name.
    fn fields_to_set(&self) -> Result<(), Error> {
        let named = self.named();
        let mut fields = named.iter().enumerate().filter_map(|(at, (_, name))| {
            let is_bound = ["maxReplicas", "minReplicas"].contains(name);
            match named.get(at + 1).filter(|_| is_bound) {
                Some((_, value)) => Some(format!("{name}={value}")),
                None => (name.find('=') > Some(0)).then(|| (*name).to_owned()),
            }
        });
        let field = fields.next().or_else(|| {
            let mut flags = self.pieces.iter().enumerate();
            flags.find_map(|(at, piece)| match piece.flag()? {
                ("--set", Some(path)) => {
                    let path = path.strip_suffix(':').unwrap_or(path);
                    // Also `PATH = VALUE`, and `PATH: VALUE`.
                    let mut values = self.pieces[at + 1..].iter().map_while(Piece::text);
                    let value = values.find(|it| !["=", ":"].contains(it))?;
                    let value = value.trim_start_matches('=');
                    let is_whole = path.contains(['=', ':', ' ']);
                    (!is_whole).then(|| format!("{path}={value}"))
                }
                _ => None,
            })
        });
        match field.filter(|_| find(self.definition(), "--set").is_some()) {
            Some(field) => {
                let hint = match Assignment::meant(&field) {
                    Ok(meant) => format!("did you mean --set {}?", shell_word(&meant.to_string())),
                    Err(error) => error.to_string(),
                };
                Err(refused(&format!("{field} is not a name"), Some(&hint)))
            }
            None => Ok(()),
        }
    }

    /// kubectl's `--all-namespaces=true` is the flag, and with `false` is none.
    fn switches(&mut self) {
        let definition = self.definition();
        self.pieces.retain_mut(|piece| {
            let Piece::Flag { name, value, words } = piece else {
                return true;
            };
            let own = find(definition, name).map(Arg::get_action);
            let is_switch =
                matches!(own, Some(ArgAction::SetTrue)) || WATCHES.contains(&name.as_str());
            let value = value.as_ref().and_then(|it| it.to_str());
            match value.filter(|_| is_switch) {
                Some("true") => *words = vec![name.clone().into()],
                Some("false") => return false,
                _ => {}
            }
            true
        });
    }

    /// A manifest that is tried names its HPA.
    fn name_of_file(&mut self) {
        let others = ["--snapshot", "--history", "--at"];
        if !self.is("dry-run") || !self.named().is_empty() || self.has(&others) {
            return;
        }
        let files: Vec<&str> = self.values(&FILES).collect();
        if let [file] = files[..]
            && let Some((FileKind::Manifest, Some(hpa))) = FileKind::of_file(Path::new(file))
        {
            self.pieces.insert(0, Piece::Name(hpa.into()));
            let shown = self.shown();
            self.notes
                .push(format!("note: no NAME is given: read as {shown}"));
        }
    }

    /// What the JSON document of the command holds.
    fn fields(&self) -> Fields {
        let lists = (self.named().is_empty() || self.has(&EVERYWHERE))
            && !self.has(&["--snapshot", "--at"]);
        let others = ["--all-versions", "--compare-version"];
        match self.command.map(Command::get_name) {
            _ if self.has(&others) => Fields::Others,
            Some("list") => Fields::OfList,
            None if lists => Fields::OfList,
            None | Some("demo") => Fields::OfExplanation,
            _ => Fields::Others,
        }
    }

    /// kubectl's `-v=4` and `-v 4` are a letter more here.
    fn verbosity(&mut self) -> Result<(), Error> {
        if find(self.definition(), "-v").is_none() {
            return Ok(());
        }
        let level = |text: &str| {
            let digits = text.strip_prefix('=').unwrap_or(text);
            digits.parse::<usize>().ok()
        };
        let mut at = 0;
        while at < self.pieces.len() {
            let next = self
                .pieces
                .get(at + 1)
                .and_then(Piece::text)
                .and_then(level);
            let (level, taken) = match self.pieces[at].flag() {
                Some(("-v" | "--verbose", None)) => (next, 2),
                Some(("-v" | "--v" | "--verbose", Some(text))) => match level(text) {
                    None => return Err(refused("-v takes a number, such as -v=2", None)),
                    level => (level, 1),
                },
                _ => (None, 1),
            };
            let Some(level) = level.map(|it| it.min(MOST_VERBOSE)) else {
                at += 1;
                continue;
            };
            let letters = (0..level).map(|_| Piece::switch("-v"));
            self.pieces.splice(at..at + taken, letters);
            at += level;
        }
        Ok(())
    }

    /// The first flag that the command does not have.
    fn unknown(&self) -> Option<(String, Option<String>)> {
        let mut pieces = self.pieces.iter().enumerate();
        pieces.find_map(|(at, piece)| {
            let (name, value) = piece.flag()?;
            let next = self.pieces.get(at + 1).and_then(Piece::text);
            let value = value.or(next).map(str::to_owned);
            find(self.definition(), name)
                .is_none()
                .then(|| (name.to_owned(), value))
        })
    }

    fn unknown_flag(&self, flag: &str, value: Option<&str>) -> Error {
        let own = match self.command {
            Some(command) => format!("{PLUGIN} {}", command.get_name()),
            None => PLUGIN.to_owned(),
        };
        let name = flag.trim_start_matches('-');
        let longs = self.definition().get_arguments().filter_map(Arg::get_long);
        let longs: Vec<&str> = longs.collect();
        let others = self
            .root
            .get_subcommands()
            .filter(|it| find(it, flag).is_some());
        let explains = find(self.root, flag).map(|_| format!("`{PLUGIN} NAME`"));
        let others = others.map(|it| format!("`{PLUGIN} {}`", it.get_name()));
        let others: Vec<String> = explains.into_iter().chain(others).collect();
        let hint = if let Some(means) = self.equivalent(flag, value) {
            means
        } else if let Some(near) = nearest(name, &longs).filter(|it| is_slip(name, it)) {
            format!("did you mean --{near}?")
        } else if let Some(command) = self
            .root
            .find_subcommand(name)
            .filter(|it| !self.is(it.get_name()))
        {
            format!("{name} is a command: `{PLUGIN} {} -h`", command.get_name())
        } else if let [first, more @ ..] = others.as_slice() {
            match more {
                [] => format!("{first} has it"),
                [second] => format!("{first} and {second} have it"),
                _ => format!("{first} and {} more commands have it", more.len()),
            }
        } else {
            format!("`{own} --help` lists all flags")
        };
        refused(&format!("`{own}` has no flag {flag}"), Some(&hint))
    }

    /// What other tools mean by a flag, if this command has it.
    fn equivalent(&self, flag: &str, value: Option<&str>) -> Option<String> {
        let has = |own: &str| find(self.definition(), own).is_some();
        let given = value;
        let value = |example| shell_word(given.unwrap_or(example));
        let bound = |field| {
            let set = format!("--set {field}={}", value("20"));
            if has("--set") {
                return Some(format!("did you mean {set}?"));
            }
            let named = self.operands(&self.named()).named;
            Some(format!("`{PLUGIN} dry-run {named} {set}` tries it"))
        };
        match flag {
            "--at" => Some(format!(
                "`{PLUGIN} --history FILE --at -5m` explains a moment of a record"
            )),
            "--history" => Some(format!(
                "`{PLUGIN} --history {} --at -0s` explains the end of a record",
                value("FILE")
            )),
            "--for" if self.command.is_none() => {
                let typed = self.named();
                let rest = typed.iter().filter(|(_, name)| Some(*name) != given);
                let named = self.operands(&rest.copied().collect::<Vec<_>>()).named;
                Some(format!(
                    "`{PLUGIN} dry-run {named} --set spec.maxReplicas=20 --for {}` runs a change for a \
                     time",
                    value("15m")
                ))
            }
            "--cpu-percent" | "--cpu" => bound(CPU_TARGET),
            "--max" | "--maxReplicas" | "--max-replicas" => bound("spec.maxReplicas"),
            "--min" | "--minReplicas" | "--min-replicas" => bound("spec.minReplicas"),
            "-A" | "--all-namespaces" if self.is("demo") => {
                Some(format!("`{PLUGIN} demo --list` lists them"))
            }
            "--snapshot" if self.is("watch") => Some(format!(
                "watch follows a cluster; `{PLUGIN} --snapshot {}` explains the file",
                value("FILE")
            )),
            "-f" | "--filename" if has("--snapshot") => {
                let file = value("FILE");
                let kind = FileKind::of_file(Path::new(&file))?;
                Some(self.way(&file, kind))
            }
            "-o" | "--output" if self.is("rbac") => Some("without it, it prints YAML".to_owned()),
            "--dry-run" if self.is("dry-run") => {
                Some("leave it out: nothing is changed in the cluster".to_owned())
            }
            "-k" | "--kustomize" if self.is("lint") => Some(format!(
                "`kubectl kustomize {} | {PLUGIN} lint -` reads what it makes",
                value("DIR")
            )),
            "--client" if self.is("version") => {
                Some("leave it out: no cluster is asked for a version".to_owned())
            }
            _ => {
                let mut flags = FLAGS.iter();
                let (_, own, rest) = flags.find(|(other, ..)| *other == flag)?;
                has(own).then(|| format!("did you mean {own}{rest}?"))
            }
        }
    }

    /// Whether the command takes names of HPAs.
    fn takes_names(&self) -> bool {
        let mut positionals = self.definition().get_positionals();
        positionals.any(|it| {
            let names = it.get_value_names().unwrap_or_default();
            names.iter().any(|name| name == "NAME")
        })
    }

    /// Leaves out what people put before a name.
    fn skip(&mut self) -> Result<(), Error> {
        let is_lint = self.is("lint") && self.named().len() > 1;
        if !self.takes_names() && !is_lint {
            return Ok(());
        }
        let named = self.named();
        let last = named.last().map(|(at, _)| *at);
        let is_skipped = |at: usize, name: &str| {
            let is_verb = VERBS.contains(&name)
                || Some(at) != last
                    && (VERBS_BEFORE_NAMES.contains(&name)
                        || VERBS.iter().any(|verb| is_typing_slip(name, verb)));
            self.command.is_none() && is_verb || !name.contains('/') && is_hpa(name)
        };
        let skipped = named.iter().take_while(|(at, name)| is_skipped(*at, name));
        let (places, words): (Vec<usize>, Vec<&str>) = skipped.copied().unzip();
        let Some(last) = words.last() else {
            return Ok(());
        };
        let lists = self.command.is_none() && words[0] == "get" && is_hpa(last);
        let has_verb = self.command.is_none() && VERBS.contains(&words[0]);
        let note = format!(
            "note: `{}` is skipped; an HPA called {last} is hpa/{last}",
            words.join(" ")
        );
        let rest = named.get(words.len()).map(|(_, name)| *name);
        let code = rest.filter(|_| *last == "explain").map(|word| {
            let code = meaning::nearest_code(word).unwrap_or("CODE");
            let explains = format!("`{PLUGIN} explain {code}` tells what that code means");
            format!("note: {explains}; `{PLUGIN} explain` lists all codes")
        });
        let words = words.join(" ");
        self.notes.push(note);
        self.notes.extend(code);
        for place in places.into_iter().rev() {
            self.pieces.remove(place);
        }
        let rest: Vec<String> = self.named().iter().map(|it| it.1.to_owned()).collect();
        match rest.as_slice() {
            [] if lists && !self.has(&["--snapshot", "--history", "--at"]) => {
                self.notes.pop();
                self.turn_to_named("list", &format!("`{words}` lists"));
            }
            [name] if has_verb && (is_kind(name) || name == "all") => {
                let hint = format!(
                    "`kubectl {words} {name}` does that, and `{PLUGIN} list` lists HPAs; for an HPA \
                     named {name}, write hpa/{name}"
                );
                return Err(refused(&format!("{name} is not an HPA"), Some(&hint)));
            }
            _ => {}
        }
        Ok(())
    }

    /// `deploy web` is `deploy/web`.
    fn types(&mut self) {
        if !self.takes_names() {
            return;
        }
        let named = self.named();
        let [(at, kind), _, ..] = named.as_slice() else {
            return;
        };
        if !is_kind(kind) {
            return;
        }
        let (at, kind) = (*at, (*kind).to_owned());
        self.pieces.remove(at);
        let mut read = Vec::new();
        for piece in &mut self.pieces {
            if let Some(name) = piece.text().filter(|name| !name.contains('/')) {
                let full = format!("{kind}/{name}");
                read.push(full.clone());
                *piece = Piece::Name(full.into());
            }
        }
        let read = read.join(" ");
        self.notes.push(format!(
            "note: read as {read}; an HPA called {kind} is hpa/{kind}"
        ));
    }

    /// Refuses what is nearly a command.
    fn commands(&self) -> Result<(), Error> {
        let named = self.named();
        let Some((at, word)) = named.first().filter(|_| self.command.is_none()) else {
            return Ok(());
        };
        let commands = self.root.get_subcommands().map(Command::get_name);
        let commands: Vec<&str> = commands.collect();
        let small = word.to_lowercase();
        let is_alone = named.len() == 1 && !self.has(&FILES);
        let elsewhere = ELSEWHERE.iter().find(|(verb, _)| *verb == small);
        if let Some((_, hint)) = elsewhere.filter(|_| !self.has(&FILES)) {
            let hint = hint(&self.operands(&named[1..]));
            let hint = format!("{hint}; for an HPA named {word}, write hpa/{word}");
            return Err(refused(&format!("{word} is not a command"), Some(&hint)));
        }
        let mut others = COMMANDS.iter();
        let other = others.find(|(other, _)| *other == small);
        let (says, way) = if let Some((_, way)) = other.filter(|_| !is_alone) {
            let way = way(&self.operands(&named[1..]));
            ("is not a command".to_owned(), way)
        } else if let Some(near) = nearest(&small, &commands).filter(|it| is_slip(&small, it)) {
            let mut rest = self.pieces.clone();
            rest.remove(*at);
            let way = format!("{near}{}", shown(&rest));
            let says = if near == small {
                "is a command and no HPA".to_owned()
            } else {
                format!("is not a command; did you mean {near}?")
            };
            (says, way)
        } else {
            return Ok(());
        };
        Err(refused(
            &format!("{word} {says}"),
            Some(&format!(
                "`{PLUGIN} {way}`; for an HPA named {word}, write hpa/{word}"
            )),
        ))
    }

    fn operands(&self, words: &[(usize, &str)]) -> Operands {
        let is_number = |it: &str| it.parse::<u32>().is_ok();
        let flags = self.pieces.iter().filter_map(Piece::flag);
        let names = words.iter().map(|(_, name)| *name);
        let values = flags.filter_map(|(_, value)| value);
        let number = values.chain(names.clone()).find(|it| is_number(it));
        let file = self.values(&FILES).next();
        let file = file.or_else(|| names.clone().find(|it| it.contains('.')));
        let names = names.filter(|it| !is_hpa(it) && !is_number(it));
        let names: Vec<&str> = names.collect();
        let name = match names[..] {
            [name] if !is_kind(name) => name,
            _ => "NAME",
        };
        let hpa = match name.split_once('/') {
            Some((kind, name)) if is_hpa(kind) => name,
            Some(_) => "NAME",
            None => name,
        };
        let namespace = self.values(&IN_NAMESPACE).next();
        let place = namespace.map_or_else(String::new, |it| format!(" -n {}", shell_word(it)));
        let placed = |name: &str| format!("{}{place}", shell_word(name));
        Operands {
            number: number.unwrap_or("3").to_owned(),
            hpa: placed(hpa),
            named: placed(name),
            file: file.map_or("FILE".to_owned(), shell_word),
        }
    }

    /// Says of what looks like an address, and is none, that it is a name.
    fn addresses(&mut self) {
        let names = self.pieces.windows(2).filter_map(|pair| match pair {
            [Piece::Flag { words, .. }, Piece::Name(name)]
                if words.iter().any(|it| it.to_string_lossy().ends_with('=')) =>
            {
                name.to_str().filter(|name| name.contains('.'))
            }
            _ => None,
        });
        let notes = names.map(|name| {
            format!("note: {name} is taken for a name; a URL has http:// in front, or https://")
        });
        self.notes.extend(notes.collect::<Vec<_>>());
    }

    /// Refuses the name of a file, which some flag takes.
    fn files(&self) -> Result<(), Error> {
        let is_file = |name: &str| {
            let kind = name.split_once('/').map(|(kind, _)| kind);
            let is_target = kind.is_some_and(|kind| is_kind(kind) || is_hpa(kind));
            name.contains(['.', '/']) && !is_target && Path::new(name).is_file()
        };
        let named = self.named();
        let mut of_hpas = named.iter().filter(|_| self.takes_names());
        let Some((_, file)) = of_hpas.find(|(_, name)| is_file(name)) else {
            return Ok(());
        };
        let hint = if let Some(kind) = FileKind::of_file(Path::new(file)) {
            self.way(file, kind)
        } else {
            let file = shell_word(file);
            format!(
                "`{PLUGIN} --snapshot {file}` explains a snapshot, `{PLUGIN} lint {file}` checks a manifest"
            )
        };
        Err(refused(&format!("{file} is a file"), Some(&hint)))
    }

    /// What takes a file of a kind, and with the name of the HPA in it.
    fn way(&self, file: &str, (kind, hpa): (FileKind, Option<String>)) -> String {
        let word = shell_word(file);
        let is_past = matches!(kind, FileKind::Record | FileKind::Scrapes);
        if self.is("tune") && is_past {
            return format!("`{PLUGIN} tune --history {word}` reads it");
        }
        if self.is("simulate") && kind == FileKind::Manifest {
            return format!("`{PLUGIN} simulate -f {word} --load spike` runs load against it");
        }
        let mut names = self.named().into_iter().map(|(_, name)| name);
        let typed = names.find(|name| *name != file && !FILE_VERBS.contains(name));
        let hpa = typed.or(hpa.as_deref()).unwrap_or("NAME");
        kind.way(&word, &shell_word(hpa))
    }
}

/// The words of these pieces, each behind a blank.
fn shown(pieces: &[Piece]) -> String {
    let words = pieces.iter().cloned().flat_map(Piece::words);
    let words = words.map(|word| format!(" {}", shell_word(&word.to_string_lossy())));
    words.collect()
}

/// Whether a word is a command with a slip of the finger, and hardly a name:
/// `test` is two edits from `list`.
fn is_slip(word: &str, command: &str) -> bool {
    let edits = levenshtein(word, command);
    let longer = word.len().max(command.len());
    edits < 2 || word.chars().next() == command.chars().next() && 2 * edits <= longer
}

/// Whether a word is a verb with its letters in another order, or a longer
/// verb with one letter wrong.
fn is_typing_slip(word: &str, verb: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    word.chars().next() == verb.chars().next()
        && (sorted(word) == sorted(verb) || verb.len() > 4 && levenshtein(word, verb) < 2)
}

/// A mistake of usage, with what leads on.
pub fn refused(message: &str, hint: Option<&str>) -> Error {
    let hint = hint.map_or_else(String::new, |hint| format!("hint: {hint}\n"));
    Error::raw(ErrorKind::InvalidValue, format!("{message}\n{hint}"))
}
