//! How much of an explanation fits: the whole of it is squeezed until it
//! does, and then what was squeezed too much gets its room back.

use super::page::Line;

/// A block as its parts, each laid out.
pub(super) type Block = Vec<Vec<Line>>;

/// The most lines without `-v`.
pub(super) const MOST_LINES: usize = 25;
/// The hardest squeeze.
pub(super) const HARDEST: usize = 6;

/// The blocks at the least squeeze at which all of them fit, each part then
/// as little squeezed as the lines that are left allow: first the parts of
/// which a line is cut, then all of them, in the order in which they are read.
pub(super) fn fitted(laid_out: impl Fn(usize) -> Vec<Block>) -> Vec<Line> {
    let mut looser: Vec<Vec<Block>> = Vec::new();
    for squeeze in 0..=HARDEST {
        let blocks = laid_out(squeeze);
        if join(&blocks, squeeze).len() <= MOST_LINES {
            return relaxed(blocks, squeeze, &looser);
        }
        looser.push(blocks);
    }
    join(looser.last().map_or(&[], Vec::as_slice), HARDEST)
}

fn relaxed(mut blocks: Vec<Block>, squeeze: usize, looser: &[Vec<Block>]) -> Vec<Line> {
    for is_repair in [true, false] {
        for other in looser.iter().rev() {
            for (at, part) in places(&blocks) {
                let Some(wider) = other.get(at).and_then(|block| block.get(part)) else {
                    continue;
                };
                if is_repair && (!is_cut(&blocks[at][part]) || is_cut(wider)) {
                    continue;
                }
                let before = std::mem::replace(&mut blocks[at][part], wider.clone());
                if join(&blocks, squeeze).len() > MOST_LINES {
                    blocks[at][part] = before;
                }
            }
        }
    }
    join(&blocks, squeeze)
}

fn places(blocks: &[Block]) -> Vec<(usize, usize)> {
    let places = blocks.iter().enumerate();
    places
        .flat_map(|(at, block)| (0..block.len()).map(move |part| (at, part)))
        .collect()
}

/// Whether a line of it ends in the mark of what is left out.
fn is_cut(lines: &[Line]) -> bool {
    lines.iter().any(|line| {
        let (_, rest) = line.pieces();
        rest.ends_with('…') || rest.ends_with("..")
    })
}

/// Blocks with a blank line between them, as long as there is room for that.
pub(super) fn join(blocks: &[Block], squeeze: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for block in blocks {
        if block.iter().all(Vec::is_empty) {
            continue;
        }
        if !lines.is_empty() && squeeze < HARDEST - 1 {
            lines.push(Line::blank());
        }
        lines.extend(block.iter().flatten().cloned());
    }
    while lines.last().is_some_and(Line::is_blank) {
        lines.pop();
    }
    lines
}
