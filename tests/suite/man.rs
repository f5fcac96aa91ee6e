//! The manual pages in `man/` are made of the command line: one for the plugin,
//! one for each command.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite man::` writes the files anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clap::Command;
use clap_mangen::Man;

use crate::support::golden::Goldens;

/// The command as a page shows it: with what `-h` leaves out, too, and without a
/// command that only repeats the help.
fn whole(command: Command) -> Command {
    let command = command.disable_help_subcommand(true);
    let command = command.mut_args(|argument| argument.hide_short_help(false));
    command.mut_subcommands(whole)
}

/// Lines that stay as they are.
fn verbatim(heading: &str, text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        // A dot or an apostrophe would begin a request.
        format!("\\&{line}\n")
    });
    let lines: String = lines.collect();
    format!(".SH {heading}\n.in 2n\n.nf\n{lines}.fi\n.in\n")
}

/// The page of a command. Without a date: the same command line gives the same
/// bytes.
fn page(command: &Command, name: &str) -> String {
    let examples = command.get_before_help().map(ToString::to_string);
    let more = command
        .get_after_long_help()
        .or_else(|| command.get_after_help())
        .map(ToString::to_string);
    let command = command.clone().display_name(name.to_owned());
    let command = command.after_help("").after_long_help("");
    let page = Man::new(command)
        .title(name.to_owned())
        .source(concat!("kubectl hpa-explain ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render(&mut text).expect("a page");
    let mut text = String::from_utf8(text).expect("text");
    let empty = ".SH EXTRA\n";
    text = text.strip_suffix(empty).unwrap_or(&text).to_owned();
    if let Some(examples) = examples {
        let examples = examples.strip_prefix("Examples:\n").expect("examples");
        text += &verbatim("EXAMPLES", examples);
    }
    if let Some(more) = more {
        text += &verbatim("NOTES", &more);
    }
    text
}

/// The pages of a command and of those below it, by their files.
fn pages(command: &Command, name: &str, found: &mut BTreeMap<String, String>) {
    found.insert(format!("{name}.1"), page(command, name));
    let below = command.get_subcommands();
    for command in below.filter(|command| !command.is_hide_set()) {
        pages(command, &format!("{name}-{}", command.get_name()), found);
    }
}

#[test]
fn the_pages_are_current() {
    let mut command = whole(hpa_explain::cli::command_line());
    command.build();
    let mut current = BTreeMap::new();
    pages(&command, "kubectl-hpa_explain", &mut current);
    assert!(current.len() > 10, "{:?}", current.keys());

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("man");
    let mut goldens = Goldens::default();
    for (name, page) in &current {
        goldens.check(&folder.join(name), page);
    }
    let committed = fs::read_dir(&folder).expect("the pages");
    let committed = committed.map(|entry| entry.expect("a page").file_name());
    let mut committed: Vec<_> = committed.collect();
    committed.sort();
    let current: Vec<_> = current.into_keys().collect();
    assert!(
        committed.iter().eq(current.iter().map(String::as_str)),
        "{committed:?}"
    );
}
