//! The bytes of a file that somebody names: never more than it can need, and
//! text as soon as it is known to be none.

use std::io::{self, Error, ErrorKind, Read};
use std::str;

use super::Place;

/// How much is read at once.
const BLOCK: usize = 64 << 10;
/// Room for that, and for the question whether there is more.
const SPARE: usize = BLOCK + 64;

/// Reads all that there is.
///
/// # Errors
///
/// It cannot be read, or is more than `most` bytes.
pub fn read_at_most(source: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    within(&bytes, most)?;
    Ok(bytes)
}

/// Reads a text that people write: UTF-8 without a NUL, which no document
/// holds. What is something else is found out where it begins.
///
/// # Errors
///
/// It cannot be read, is more than `most` bytes, or is no such text: what it
/// probably is, and what to do about that.
pub fn read_text(mut source: impl Read, most: u64) -> Result<String, TextError> {
    let mut bytes = Vec::new();
    let mut valid = 0;
    loop {
        if bytes.capacity() - bytes.len() < SPARE {
            // Doubled, but never to more than is read at the most.
            let left = usize::try_from(most).unwrap_or(usize::MAX) - bytes.len();
            bytes.reserve_exact(bytes.len().min(left) + SPARE);
        }
        let limit = u64::try_from(BLOCK).unwrap_or(most);
        let read = source.by_ref().take(limit).read_to_end(&mut bytes);
        let is_end = read? == 0;
        within(&bytes, most)?;
        let rest = &bytes[valid..];
        let end = match str::from_utf8(rest) {
            Ok(text) => text.len(),
            // The block may end within a character.
            Err(error) if error.error_len().is_none() && !is_end => error.valid_up_to(),
            Err(error) => return Err(TextError::other(&bytes, valid + error.valid_up_to())),
        };
        if rest.contains(&0) {
            return Err(TextError::other(&bytes, bytes.len()));
        }
        valid += end;
        if is_end {
            break;
        }
    }
    String::from_utf8(bytes)
        .map_err(|error| TextError::other(error.as_bytes(), error.utf8_error().valid_up_to()))
}

/// Why a file cannot be read, without the system's number for that.
pub fn unread(error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file".to_owned(),
        ErrorKind::IsADirectory => "it is a directory, not a file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

fn within(bytes: &[u8], most: u64) -> io::Result<()> {
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= most) {
        return Ok(());
    }
    let text = format!("larger than {} MiB", most >> 20);
    Err(Error::new(ErrorKind::FileTooLarge, text))
}

/// Why there is no text.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// It cannot be read, or is too large.
    #[error("{}", unread(.0))]
    Unreadable(#[from] io::Error),
    /// It is something else.
    #[error("this is {0}, not UTF-8 text")]
    Other(Encoding),
    /// A NUL stands there.
    #[error("not a text file: a NUL byte at {0}")]
    Binary(Place),
    /// Another byte stands there that no text has, and there is no UTF-8.
    #[error("not a text file: a control byte at {0}")]
    Control(Place),
    /// What stands there is in no UTF-8 text.
    #[error("not UTF-8 text at {0}")]
    Broken(Place),
}

/// What else a file can be, by how it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Encoding {
    /// A gzip archive.
    #[error("compressed with gzip")]
    Gzip,
    /// A Zstandard archive.
    #[error("compressed with zstd")]
    Zstandard,
    /// A zip archive.
    #[error("a zip archive")]
    Zip,
    /// Two bytes a character, as some Windows programs write it.
    #[error("UTF-16")]
    Utf16,
    /// Four bytes a character.
    #[error("UTF-32")]
    Utf32,
    /// A tar archive.
    #[error("a tar archive")]
    Tar,
    /// A program for some system.
    #[error("a program")]
    Program,
}

/// How the kinds begin; what begins like another one comes before it.
const BEGINNINGS: [(&[u8], Encoding); 10] = [
    (&[0x1f, 0x8b], Encoding::Gzip),
    (&[0x28, 0xb5, 0x2f, 0xfd], Encoding::Zstandard),
    (b"PK\x03\x04", Encoding::Zip),
    (&[0xff, 0xfe, 0, 0], Encoding::Utf32),
    (&[0, 0, 0xfe, 0xff], Encoding::Utf32),
    (&[0xff, 0xfe], Encoding::Utf16),
    (&[0xfe, 0xff], Encoding::Utf16),
    (b"\x7fELF", Encoding::Program),
    (b"MZ\x90\0", Encoding::Program),
    (&[0xcf, 0xfa, 0xed, 0xfe], Encoding::Program),
];

impl Encoding {
    /// What the bytes are, if they begin like one of these.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let mut known = BEGINNINGS.iter();
        let found = known.find(|(beginning, _)| bytes.starts_with(beginning));
        // In front of it are the name and the rights of a first file.
        let is_tar = || bytes.get(257..262) == Some(b"ustar");
        found
            .map(|(_, encoding)| *encoding)
            .or_else(|| is_tar().then_some(Self::Tar))
            .or_else(|| Self::without_mark(bytes))
    }

    /// Two or four bytes a character that begin without saying so: where the
    /// zeros stand among them.
    fn without_mark(bytes: &[u8]) -> Option<Self> {
        let first = &bytes[..bytes.len().min(8)];
        if !first.iter().all(|byte| *byte == 0 || is_of_text(*byte)) {
            return None;
        }
        let zeros: Vec<bool> = first.iter().map(|it| *it == 0).collect();
        match zeros[..] {
            [false, true, true, true, false, true, true, true]
            | [true, true, true, false, true, true, true, false] => Some(Self::Utf32),
            [false, true, false, true, ..] | [true, false, true, false, ..] => Some(Self::Utf16),
            _ => None,
        }
    }

    /// What to do about it.
    pub const fn hint(self) -> Option<&'static str> {
        Some(match self {
            Self::Gzip => "`gunzip -c FILE > PLAIN` unpacks it; give PLAIN",
            Self::Zstandard => "`zstd -d FILE` unpacks it",
            Self::Zip => "unpack it, and give the file that it holds",
            // What the `>` of an older PowerShell writes.
            Self::Utf16 if cfg!(windows) => {
                "`Get-Content FILE | Set-Content -Encoding utf8 UTF8` converts it; give UTF8"
            }
            Self::Utf16 => "`iconv -f UTF-16 -t UTF-8 FILE > UTF8` converts it; give UTF8",
            Self::Utf32 => "`iconv -f UTF-32 -t UTF-8 FILE > UTF8` converts it; give UTF8",
            Self::Tar => "`tar -xf FILE` unpacks it; give the file that it holds",
            Self::Program => return None,
        })
    }
}

/// Whether a byte stands in texts of one byte a character: the end of a page and the
/// colors of a terminal are among them.
const fn is_of_text(byte: u8) -> bool {
    byte >= b' ' || byte.is_ascii_whitespace() || byte == 0x1b
}

impl TextError {
    fn other(bytes: &[u8], at: usize) -> Self {
        let control = bytes.iter().position(|byte| !is_of_text(*byte));
        let broken = || match control {
            Some(at) if bytes[at] == 0 => Self::Binary(Place::after(&bytes[..at])),
            Some(at) => Self::Control(Place::after(&bytes[..at])),
            None => Self::Broken(Place::after(&bytes[..at])),
        };
        Encoding::of(bytes).map_or_else(broken, Self::Other)
    }

    /// What to do about it, where that depends on what the file is.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unreadable(_) => None,
            Self::Binary(_) => {
                Some("text has no NUL bytes: copy the file again, or give the one that you mean")
            }
            Self::Control(_) => Some("copy the file again, or give the one that you mean"),
            Self::Other(encoding) => encoding.hint(),
            Self::Broken(_) => Some(
                "if it is Latin-1, `iconv -f LATIN1 -t UTF-8 FILE > UTF8` converts it; give UTF8",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use super::{BLOCK, read_at_most, read_text};

    #[test]
    fn what_is_no_text_is_told_as_what_it_is() {
        let across = [vec![b'a'; BLOCK - 1], "é!".as_bytes().to_vec()].concat();
        let tar = [&b"web.yaml"[..], &[0; 249], b"ustar\x0000"].concat();
        let rows: [(&[u8], &str); 18] = [
            (b"", "0 bytes"),
            (b"name: web\n", "10 bytes"),
            (&across, "65538 bytes"),
            (
                b"\x1f\x8b\x08\x00",
                "this is compressed with gzip, not UTF-8 text",
            ),
            (b"\xff\xfea\x00", "this is UTF-16, not UTF-8 text"),
            (b"\xff\xfe\0\0a\0\0\0", "this is UTF-32, not UTF-8 text"),
            (b"\0\0\0a\0\0\0:", "this is UTF-32, not UTF-8 text"),
            (b"a\0:\0", "this is UTF-16, not UTF-8 text"),
            (b"\0a\0:", "this is UTF-16, not UTF-8 text"),
            (&tar, "this is a tar archive, not UTF-8 text"),
            (
                b"\x7fELF\x02\x01\x01\0",
                "this is a program, not UTF-8 text",
            ),
            (b"PK\x03\x04\x00", "this is a zip archive, not UTF-8 text"),
            (b"caf\xe9\n", "not UTF-8 text at line 1 column 4"),
            (b"abc\xc3", "not UTF-8 text at line 1 column 4"),
            (b"ab\x00c", "not a text file: a NUL byte at line 1 column 3"),
            (
                b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
                "not a text file: a control byte at line 2 column 1",
            ),
            (
                b"\xff\xd8\xff\xe0\0\x10JFIF\0",
                "not a text file: a NUL byte at line 1 column 5",
            ),
            (
                b"\x01\0\x02\0",
                "not a text file: a control byte at line 1 column 1",
            ),
        ];
        for (bytes, expected) in rows {
            let read = read_text(bytes, 1 << 20).map(|text| format!("{} bytes", text.len()));
            let shown = read.unwrap_or_else(|error| error.to_string());
            assert_eq!(shown, expected);
        }
        assert_eq!(rows.len(), 18);
    }

    /// None of them has an end.
    #[test]
    fn no_more_is_read_than_there_can_be() {
        let zeros = read_text(io::repeat(0), 1 << 30).expect_err("no text");
        assert_eq!(
            zeros.to_string(),
            "not a text file: a NUL byte at line 1 column 1"
        );
        let letters = read_text(io::repeat(b'a'), 1 << 20).expect_err("too large");
        assert_eq!(letters.to_string(), "larger than 1 MiB");
        let bytes = read_at_most(io::repeat(0), 1 << 20).expect_err("too large");
        assert_eq!(bytes.to_string(), "larger than 1 MiB");
        let whole = read_at_most(io::repeat(1).take(1 << 20), 1 << 20);
        assert_eq!(whole.map(|bytes| bytes.len()).ok(), Some(1 << 20));
    }
}
