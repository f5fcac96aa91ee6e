//! Base64, for continue tokens and the certificates of a kubeconfig.

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The form of a kubeconfig.
pub fn standard(bytes: &[u8]) -> String {
    let mut text = encoded(bytes);
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

/// The form of a continue token: for URLs, and not padded.
pub fn url(bytes: &[u8]) -> String {
    encoded(bytes).replace('+', "-").replace('/', "_")
}

/// Reads the form of a continue token.
pub fn from_url(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let byte = match byte {
            b'-' => b'+',
            b'_' => b'/',
            plain => plain,
        };
        let value = STANDARD.iter().position(|known| *known == byte)?;
        bits = (bits << 6) | u32::try_from(value).ok()?;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    Some(bytes)
}

fn encoded(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let three = [0, 1, 2].map(|index| chunk.get(index).copied().unwrap_or_default());
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for index in 0..=chunk.len() {
            let value = (bits >> (18 - 6 * index)) & 0x3f;
            text.push(char::from(STANDARD[value as usize]));
        }
    }
    text
}
