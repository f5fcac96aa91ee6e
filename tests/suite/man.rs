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

/// The pages of a command and of those below it, by their files.
fn pages(command: &Command, name: &str, pages: &mut BTreeMap<String, String>) {
    // Without a date: the same command line gives the same bytes.
    let page = Man::new(command.clone().display_name(name.to_owned()));
    let page = page
        .title(name.to_owned())
        .source(concat!("kubectl hpa-explain ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render(&mut text).expect("a page");
    let text = String::from_utf8(text).expect("text");
    pages.insert(format!("{name}.1"), text);
    let below = command.get_subcommands();
    for command in below.filter(|command| !command.is_hide_set() && command.get_name() != "help") {
        self::pages(command, &format!("{name}-{}", command.get_name()), pages);
    }
}

#[test]
fn the_pages_are_current() {
    let mut command = hpa_explain::cli::command_line();
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
    assert!(committed.iter().eq(current.iter()), "{committed:?}");
}
