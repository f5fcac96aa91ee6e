//! Equations as the text prints them: `ceil(2.5 × 12) = 30`.

/// The equations of a text that do not hold.
pub fn wrong(text: &str) -> Vec<String> {
    // Equations do not break at a line's end where one reads them.
    let lines = text.lines();
    let equations = lines.filter(|line| line.contains(" = "));
    equations
        .filter(|line| !holds(line))
        .map(|line| format!("does not hold: {line}"))
        .collect()
}

/// Whether what stands left and right of each equals sign is the same; where
/// one side is no arithmetic, nothing is said.
fn holds(line: &str) -> bool {
    let sides: Vec<&str> = line.split(" = ").collect();
    sides.windows(2).all(|pair| {
        let (Some(left), Some(right)) = (last_expression(pair[0]), first_number(pair[1])) else {
            return true;
        };
        // A utilization is cut to whole percent.
        let is_percent = pair[1].trim_start()[right.len()..].starts_with('%');
        let left = if is_percent {
            (left * 100.0 + 1e-9).trunc()
        } else {
            left
        };
        let places = right.split_once('.').map_or(0, |(_, places)| places.len());
        let shown: f64 = right.parse().unwrap_or(f64::NAN);
        let scale = 10_f64.powi(i32::try_from(places).unwrap_or(0));
        // A result is cut or rounded to what is shown.
        (left - shown).abs() <= 1e-12 * left.abs()
            || (left - shown).abs() * scale <= 1.0 && (places > 0 || (left - shown).abs() < 1e-9)
    })
}

/// The arithmetic at the end of a text, computed.
fn last_expression(text: &str) -> Option<f64> {
    let mut starts = text.char_indices().filter(|(at, _)| {
        *at == 0 || text[..*at].ends_with([' ', '(']) && !text[..*at].ends_with(['×', '/', '+'])
    });
    starts.find_map(|(at, _)| Parser::new(&text[at..]).whole())
}

fn first_number(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let number = text[..end].trim_end_matches('.');
    (!number.is_empty()).then_some(number)
}

/// Sums and products of numbers, with `ceil`, `trunc`, `max` and `min`.
struct Parser<'t> {
    rest: &'t str,
    operators: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            rest: text,
            operators: 0,
        }
    }

    /// The value, if all of the text is arithmetic and more than a number.
    fn whole(mut self) -> Option<f64> {
        let value = self.sum()?;
        (self.rest.trim().is_empty() && self.operators > 0).then_some(value)
    }

    fn eat(&mut self, signs: &[&str]) -> bool {
        let rest = self.rest.trim_start();
        let found = signs.iter().find_map(|sign| rest.strip_prefix(sign));
        if let Some(rest) = found {
            self.rest = rest;
            self.operators += 1;
        }
        found.is_some()
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        loop {
            if self.eat(&["+ "]) {
                value += self.product()?;
            } else if self.eat(&["− ", "- "]) {
                value -= self.product()?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.term()?;
        loop {
            if self.eat(&["× ", "x "]) {
                value *= self.term()?;
            } else if self.eat(&["/ "]) {
                value /= self.term()?;
            } else {
                return Some(value);
            }
        }
    }

    fn term(&mut self) -> Option<f64> {
        if self.eat(&["ceil("]) {
            return self.closed().map(f64::ceil);
        }
        if self.eat(&["trunc("]) {
            return self.closed().map(f64::trunc);
        }
        if self.eat(&["max("]) {
            let one = self.sum()?;
            return self
                .eat(&[","])
                .then_some(())
                .and_then(|()| self.closed())
                .map(|other| one.max(other));
        }
        if self.eat(&["("]) {
            return self.closed();
        }
        let rest = self.rest.trim_start();
        let number = first_number(rest)?;
        self.rest = rest[number.len()..].trim_start_matches(['%', 'm']);
        number.parse().ok()
    }

    fn closed(&mut self) -> Option<f64> {
        let value = self.sum()?;
        self.eat(&[")"]).then_some(value)
    }
}
