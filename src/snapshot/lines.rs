//! A file line by line, in bounded memory, and without mistaking a beginning
//! for a line.

use std::io::{self, BufRead, Read};

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a line break.
    Break,
    /// With the file: it may have been cut off.
    File,
    /// Nowhere near: the line is left out.
    TooFar,
}

/// Reads the next line, without its line break; `None` at the end. A line of
/// `most` bytes is left out.
///
/// # Errors
///
/// The file cannot be read.
pub fn next_line(
    most: usize,
    file: &mut impl BufRead,
    line: &mut Vec<u8>,
) -> io::Result<Option<Ending>> {
    line.clear();
    let most_read = u64::try_from(most).unwrap_or(u64::MAX);
    if file.take(most_read).read_until(b'\n', line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        return Ok(Some(Ending::Break));
    }
    if line.len() < most {
        return Ok(Some(Ending::File));
    }
    line.clear();
    skip_line(file)?;
    Ok(Some(Ending::TooFar))
}

/// A line that is longer never ends, as far as anybody waits for it.
const LONGEST: usize = 1 << 30;

/// Reads over the rest of a line, a buffer at a time.
fn skip_line(file: &mut impl BufRead) -> io::Result<()> {
    let mut skipped = 0_usize;
    loop {
        let buffer = file.fill_buf()?;
        let (length, is_over) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        file.consume(length);
        skipped = skipped.saturating_add(length);
        if skipped > LONGEST {
            let text = format!("no line break in {} MiB", LONGEST >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        if is_over {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ending, next_line};

    #[test]
    fn lines_end_in_one_of_three_ways() {
        use Ending::{Break, File, TooFar};
        let rows: [(&str, &[(&str, Ending)]); 6] = [
            ("", &[]),
            ("a\nbc\n", &[("a", Break), ("bc", Break)]),
            ("a\nbc", &[("a", Break), ("bc", File)]),
            ("\n\n", &[("", Break), ("", Break)]),
            ("12345678\na\n", &[("", TooFar), ("a", Break)]),
            ("a\n12345678", &[("a", Break), ("", TooFar)]),
        ];
        for (text, expected) in rows {
            let mut file = text.as_bytes();
            let mut line = Vec::new();
            let mut found = Vec::new();
            while let Some(ending) = next_line(5, &mut file, &mut line).expect("no failure") {
                found.push((String::from_utf8(line.clone()).expect("text"), ending));
            }
            let found: Vec<_> = found.iter().map(|(text, end)| (&**text, *end)).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
