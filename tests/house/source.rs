//! The sources, without what is there for tests only.

use std::fs;
use std::path::Path;

pub struct Source {
    /// From the root of the repository.
    pub path: String,
    /// Each line, and whether it is code of a test.
    lines: Vec<(String, bool)>,
}

/// All Rust files below a folder that are no tests.
pub fn in_folder(folder: &str) -> Vec<Source> {
    let mut files = Vec::new();
    read(folder, &mut files);
    let of_tests: Vec<String> = files.iter().flat_map(Source::modules_of_tests).collect();
    files.retain(|file| {
        let is_in = |module: &String| {
            let rest = file.path.strip_prefix(module.as_str());
            rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        };
        !of_tests.iter().any(is_in)
    });
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn read(folder: &str, files: &mut Vec<Source>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in fs::read_dir(root.join(folder)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let path = format!("{folder}/{name}");
        if root.join(&path).is_dir() {
            read(&path, files);
        } else if path.ends_with(".rs") {
            let text = fs::read_to_string(root.join(&path)).unwrap();
            files.push(Source::new(&path, &text));
        }
    }
}

impl Source {
    pub fn new(path: &str, text: &str) -> Source {
        let mut lines = Vec::new();
        // In a formatted file, the indentation tells where an item ends.
        let mut inside = None;
        for line in text.lines() {
            let column = line.len() - line.trim_start().len();
            if line.trim() == "#[cfg(test)]" && inside.is_none() {
                inside = Some(column);
            }
            lines.push((line.to_owned(), inside.is_some()));
            let ends = line.trim_start().starts_with('}') || line.ends_with([';', ',']);
            if inside == Some(column) && ends {
                inside = None;
            }
        }
        Source {
            path: path.to_owned(),
            lines,
        }
    }

    /// The lines that are no tests, with their numbers.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.lines.iter().zip(1..);
        let lines = lines.filter(|((_, is_test), _)| !is_test);
        lines.map(|((line, _), number)| (number, line.as_str()))
    }

    /// Those of them that are no comments.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_comment = |line: &str| line.trim_start().starts_with("//");
        self.lines().filter(move |(_, line)| !is_comment(line))
    }

    /// The files that this one declares for tests only, without their endings.
    fn modules_of_tests(&self) -> Vec<String> {
        let folder = match self.path.strip_suffix("/mod.rs") {
            Some(folder) => folder,
            None => match self.path.strip_suffix("/lib.rs") {
                Some(folder) => folder,
                None => self.path.strip_suffix(".rs").unwrap(),
            },
        };
        let tests = self.lines.iter().filter(|(_, is_test)| *is_test);
        let modules = tests.filter_map(|(line, _)| {
            let module = line.trim().strip_prefix("mod ")?.strip_suffix(';')?;
            Some(format!("{folder}/{module}"))
        });
        modules.collect()
    }

    /// Where each function begins, what it is called, and how many lines it has.
    pub fn functions(&self) -> Vec<(usize, String, usize)> {
        let mut functions = Vec::new();
        let lines: Vec<(usize, &str)> = self.lines().collect();
        for (index, (number, line)) in lines.iter().enumerate() {
            let Some(name) = function(line) else {
                continue;
            };
            let column = line.len() - line.trim_start().len();
            let end = format!("{}}}", " ".repeat(column));
            let rest = &lines[index..];
            let ends = |(_, line): &(usize, &str)| {
                *line == end || (line.starts_with(&end) && line.ends_with('}'))
            };
            if line.ends_with('}') || line.ends_with(';') {
                continue;
            }
            if let Some(last) = rest.iter().position(ends) {
                functions.push((*number, name, rest[last].0 - number + 1));
            }
        }
        functions
    }
}

/// The name of the function that begins in a line.
fn function(line: &str) -> Option<String> {
    let mut words = line.trim_start();
    loop {
        let (word, rest) = words.split_once(' ')?;
        words = rest;
        match word {
            "fn" => break,
            "pub" | "const" | "unsafe" | "extern" | "\"C\"" => {}
            word if word.starts_with("pub(") => {}
            _ => return None,
        }
    }
    let end = words.find(['(', '<'])?;
    Some(words[..end].to_owned())
}
