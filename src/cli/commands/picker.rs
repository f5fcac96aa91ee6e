//! The list to pick an HPA from, where somebody sits in front of it.

use std::io::{self, IsTerminal};

use dialoguer::FuzzySelect;
use dialoguer::console::Term;
use tokio::task::spawn_blocking;

use super::list::listing::{SortBy, nothing};
use super::list::{List, ListInputs};
use crate::cli::{exit, failure::Interrupted, session::block_on, terminal::Terminal};
use crate::render::{ListOptions, Summary, SummaryList, list_lines};

/// What stands before each line: a mark, and a column for the cursor.
const INDENT: usize = 3;

/// Whether somebody can be asked which HPA is meant: where all streams are a terminal.
/// `… | less` and `… > file` get the list.
pub fn can_ask(terminal: &Terminal) -> bool {
    terminal.can_be_drawn_on() && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Lets somebody pick one of the HPAs of a list; nothing where there is none.
/// The only one there is needs no picking.
/// Errors: the HPAs cannot be read, or nothing was picked.
pub fn picked(list: &List, terminal: &mut Terminal) -> anyhow::Result<Option<Summary>> {
    block_on(async {
        let inputs = ListInputs::read(list, terminal).await?;
        let mut items = Vec::new();
        inputs.summaries(list, terminal, |summary| items.push(summary))?;
        items.sort_by(|one, other| SortBy::Problem.compare(one, other));
        let namespace = inputs.namespace(list);
        if items.is_empty() {
            terminal.complain(&nothing(namespace));
        }
        pick(items, &list.columns(namespace, terminal), terminal).await
    })
}

/// The one that is picked, unless there is nothing to pick from.
/// Errors: Esc or Ctrl-C.
async fn pick(
    mut items: Vec<Summary>,
    columns: &ListOptions,
    terminal: &Terminal,
) -> anyhow::Result<Option<Summary>> {
    if items.len() < 2 {
        return Ok(items.pop());
    }
    let (_, width) = Term::stderr().size();
    let width = usize::from(width).saturating_sub(INDENT);
    let columns = ListOptions {
        width: Some(width),
        wide: false,
        ..columns.clone()
    };
    let list = SummaryList::of(items);
    let lines = list_lines(&list, &columns, &terminal.text);
    let prompt = prompt(lines.len(), width);
    let chosen = ask(prompt, lines, terminal.text.colour).await?;
    let chosen = chosen.and_then(|place| list.items.into_iter().nth(place));
    Ok(Some(chosen.ok_or(Interrupted)?))
}

/// Asks, on a thread that can be left behind: Ctrl-C may come at any time, and
/// whoever presses it wants the cursor back.
async fn ask(prompt: String, lines: Vec<String>, colour: bool) -> anyhow::Result<Option<usize>> {
    let interrupted = exit::end()?;
    let asking = spawn_blocking(move || {
        FuzzySelect::new()
            .with_prompt(prompt)
            .items(&lines)
            .default(0)
            .highlight_matches(colour)
            .report(false)
            .interact_opt()
    });
    let chosen = tokio::select! {
        chosen = asking => chosen?,
        () = interrupted => Ok(None),
    };
    Term::stderr().show_cursor()?;
    match chosen {
        Ok(chosen) => Ok(chosen),
        Err(dialoguer::Error::IO(error)) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
        Err(dialoguer::Error::IO(error)) => Err(error.into()),
    }
}

/// What to do, as far as it fits beside what is typed.
fn prompt(hpas: usize, width: usize) -> String {
    let question = format!("Which of {hpas} HPAs?");
    let texts = [
        format!("{question} Type to filter, Enter explains, Esc leaves:"),
        format!("{question} Esc leaves:"),
    ];
    let fits = |text: &&String| text.len() + 12 <= width;
    texts.iter().find(fits).cloned().unwrap_or(question)
}

#[cfg(test)]
mod tests {
    use super::prompt;

    #[test]
    fn the_prompt_leaves_room_to_type() {
        let rows = [
            (
                77,
                "Which of 12 HPAs? Type to filter, Enter explains, Esc leaves:",
            ),
            (50, "Which of 12 HPAs? Esc leaves:"),
            (20, "Which of 12 HPAs?"),
        ];
        for (width, expected) in rows {
            assert_eq!(prompt(12, width), expected);
        }
    }
}
