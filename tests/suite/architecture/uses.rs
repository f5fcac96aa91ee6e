//! The paths that a source names, resolved as far as the source itself
//! tells: `super`, grouped imports, renamed imports, modules in the file.

use std::collections::BTreeMap;

use super::tokens::{Kind, Token, tokens};

/// Something that a source uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    pub line: usize,
    /// From the crate's root (`crate`, then modules), or from another
    /// crate's. The last one is `*` for all, and ends with `!` for a macro.
    pub path: Vec<String>,
    /// The strings that a macro was given.
    pub texts: Vec<String>,
    pub is_import: bool,
}

/// Everything that a source names by a path.
pub fn uses(file: &str, source: &str) -> Vec<Use> {
    let mut walk = Walk {
        tokens: tokens(source),
        at: 0,
        module: module_of(file),
        nested: Vec::new(),
        depth: 0,
        imports: BTreeMap::new(),
        found: Vec::new(),
    };
    walk.run();
    let Walk { imports, found, .. } = walk;
    found
        .into_iter()
        .map(|found| Use {
            path: expand(found.path, &imports),
            ..found
        })
        .collect()
}

/// `src/a/b.rs` and `src/a/b/mod.rs` are both the module a, b.
fn module_of(file: &str) -> Vec<String> {
    let path = file.trim_start_matches("src/").trim_end_matches(".rs");
    let parts = path.split('/').map(str::to_owned);
    parts
        .filter(|part| !["mod", "lib", "main"].contains(&part.as_str()))
        .collect()
}

/// Puts what an import stands for in the place of its name.
fn expand(mut path: Vec<String>, imports: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    // Renaming chains are short; a circle does not compile.
    for _ in 0..4 {
        match imports.get(&path[0]) {
            Some(full) if full[0] != path[0] => {
                path = full.iter().chain(&path[1..]).cloned().collect();
            }
            _ => break,
        }
    }
    path
}

struct Walk {
    tokens: Vec<Token>,
    at: usize,
    module: Vec<String>,
    /// The depths at which the modules in the file began.
    nested: Vec<usize>,
    depth: usize,
    imports: BTreeMap<String, Vec<String>>,
    found: Vec<Use>,
}

impl Walk {
    fn run(&mut self) {
        while let Some(token) = self.tokens.get(self.at).cloned() {
            match &token.kind {
                Kind::Mark('{') => self.open(),
                Kind::Mark('}') => self.close(),
                Kind::Mark('#') if self.word(2) == Some("serde") => self.serde_attribute(),
                Kind::Mark('#') if self.word(2) == Some("path") => {
                    self.find(token.line, vec!["#[path]".to_owned()], Vec::new());
                }
                Kind::Word(word) if word == "use" => self.import(),
                Kind::Word(word) if word == "mod" && self.is(2, '{') => self.module(),
                Kind::Word(word) if word == "extern" && self.word(1) == Some("crate") => {
                    let name = self.word(2).unwrap_or_default().to_owned();
                    self.find(token.line, vec![name], Vec::new());
                    self.at += 2;
                }
                Kind::Word(_) if !self.is_continued() => self.path(),
                _ => {}
            }
            self.at += 1;
        }
    }

    fn open(&mut self) {
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.nested.last() == Some(&self.depth) {
            self.nested.pop();
            self.module.pop();
        }
    }

    /// `mod name {`
    fn module(&mut self) {
        let name = self.word(1).unwrap_or_default().to_owned();
        self.module.push(name);
        self.nested.push(self.depth);
        self.at += 1;
    }

    /// Paths in serde's attributes stand in strings.
    fn serde_attribute(&mut self) {
        self.at += 3;
        while let Some(token) = self.tokens.get(self.at).cloned() {
            match &token.kind {
                Kind::Mark(']') => break,
                Kind::Text(text) if text.contains("::") => {
                    let path: Vec<String> = text.split("::").map(str::to_owned).collect();
                    let path = self.resolve(path);
                    self.find(token.line, path, Vec::new());
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// `use` and its tree, up to the semicolon.
    fn import(&mut self) {
        // Precise capturing, `impl use<'a>`, imports nothing.
        if self.is(1, '<') {
            return;
        }
        self.at += 1;
        self.tree(&[]);
    }

    fn tree(&mut self, prefix: &[String]) {
        let mut path = prefix.to_vec();
        while let Some(token) = self.tokens.get(self.at).cloned() {
            match &token.kind {
                Kind::Path => {}
                Kind::Word(word) if word == "as" => {
                    self.at += 1;
                    let name = self.word(0).unwrap_or("_").to_owned();
                    self.at += 1;
                    return self.imported(token.line, &path, &name);
                }
                Kind::Word(word) => path.push(word.clone()),
                Kind::Mark('*') => path.push("*".to_owned()),
                Kind::Mark('{') => return self.group(&path),
                _ => {
                    let name = path.last().cloned().unwrap_or_default();
                    return self.imported(token.line, &path, &name);
                }
            }
            self.at += 1;
        }
    }

    fn group(&mut self, prefix: &[String]) {
        while !self.is(0, '}') && self.at < self.tokens.len() {
            self.at += 1;
            if !self.is(0, '}') {
                self.tree(prefix);
            }
        }
        self.at += 1;
    }

    fn imported(&mut self, line: usize, path: &[String], name: &str) {
        let mut path = path.to_vec();
        let mut name = name.to_owned();
        if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
            path.pop();
            if name == "self" {
                name.clone_from(&path[path.len() - 1]);
            }
        }
        if path.is_empty() {
            return;
        }
        let path = self.resolve(path);
        self.imports.insert(name, path.clone());
        self.found.push(Use {
            line,
            path,
            texts: Vec::new(),
            is_import: true,
        });
    }

    /// A path outside of an import, or a macro.
    fn path(&mut self) {
        let line = self.tokens[self.at].line;
        let mut path = vec![self.word(0).unwrap_or_default().to_owned()];
        while self.tokens.get(self.at + 1).map(|t| &t.kind) == Some(&Kind::Path) {
            let Some(word) = self.word(2) else {
                break;
            };
            path.push(word.to_owned());
            self.at += 2;
        }
        let is_macro = self.is(1, '!') && !self.is(2, '=');
        let texts = if is_macro { self.given() } else { Vec::new() };
        if let (true, Some(last)) = (is_macro, path.last_mut()) {
            last.push('!');
        }
        let path = self.resolve(path);
        self.find(line, path, texts);
    }

    /// The strings between the brackets of the macro that follows.
    fn given(&self) -> Vec<String> {
        let mut depth = 0;
        let mut texts = Vec::new();
        for token in &self.tokens[self.at + 2..] {
            match &token.kind {
                Kind::Mark('(' | '[' | '{') => depth += 1,
                Kind::Mark(')' | ']' | '}') => depth -= 1,
                Kind::Text(text) => texts.push(text.clone()),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        texts
    }

    /// From the root: `super` and `self` are relative to the module here.
    fn resolve(&self, path: Vec<String>) -> Vec<String> {
        if path[0] != "super" && path[0] != "self" {
            return path;
        }
        let ups = path.iter().filter(|part| *part == "super").count();
        let kept = self.module.len().saturating_sub(ups);
        let rest = path
            .iter()
            .filter(|part| !["super", "self"].contains(&part.as_str()));
        let module = self.module[..kept].iter();
        let root = "crate".to_owned();
        std::iter::once(&root)
            .chain(module)
            .chain(rest)
            .cloned()
            .collect()
    }

    /// Whether the word is a field, a method, or the rest of a path.
    fn is_continued(&self) -> bool {
        let Some(before) = self.at.checked_sub(1) else {
            return false;
        };
        match self.tokens[before].kind {
            // `x.field`, but not `0..max`.
            Kind::Mark('.') => before == 0 || !self.tokens[before - 1].is('.'),
            // `::kube::x` begins a path, `Vec::<T>::x` continues one.
            Kind::Path => before > 0 && self.tokens[before - 1].is('>'),
            _ => false,
        }
    }

    fn find(&mut self, line: usize, path: Vec<String>, texts: Vec<String>) {
        self.found.push(Use {
            line,
            path,
            texts,
            is_import: false,
        });
    }

    fn word(&self, ahead: usize) -> Option<&str> {
        self.tokens.get(self.at + ahead)?.word()
    }

    fn is(&self, ahead: usize, mark: char) -> bool {
        let token = self.tokens.get(self.at + ahead);
        token.is_some_and(|token| token.is(mark))
    }
}
