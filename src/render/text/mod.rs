//! stub
use crate::trace::Trace;
/// o
#[derive(Clone, Debug)]
pub struct TextOptions {
    /// w
    pub width: usize,
    /// c
    pub colour: bool,
    /// a
    pub ascii: bool,
    /// v
    pub verbosity: u8,
    /// z
    pub zone: jiff::tz::TimeZone,
}
/// w
pub fn write_text(
    _t: &Trace,
    _o: &TextOptions,
    _out: &mut dyn std::io::Write,
) -> std::io::Result<()> {
    Ok(())
}
