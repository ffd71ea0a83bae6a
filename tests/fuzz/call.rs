//! A command with its arguments, as bytes.

use std::fmt;

use keyns::FAMILIES;
use keyns::server::spec::Spec;

#[derive(Clone)]
pub struct Call {
    pub words: Vec<Vec<u8>>,
}

impl Call {
    pub fn new<A: AsRef<[u8]>>(words: &[A]) -> Call {
        Call {
            words: words.iter().map(|word| word.as_ref().to_vec()).collect(),
        }
    }

    /// A command in words without spaces.
    pub fn line(line: &str) -> Call {
        Call::new(&line.split(' ').collect::<Vec<_>>())
    }

    /// What it says of itself, if it is a command of the module.
    pub fn spec(&self) -> Option<&'static Spec> {
        let name = self.words.first()?;
        let mut commands = FAMILIES
            .iter()
            .flat_map(|family| family.commands)
            .map(|command| &command.spec);
        commands.find(|spec| spec.name.to_bytes().eq_ignore_ascii_case(name))
    }

    /// Whether it is a command of the module that says it only reads.
    pub fn only_reads(&self) -> bool {
        let flags = |spec: &Spec| spec.flags.to_string_lossy().into_owned();
        self.spec()
            .is_some_and(|spec| flags(spec).split(' ').any(|flag| flag == "readonly"))
    }
}

/// As a person could type it into redis-cli, but for what is too long to read.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const READABLE: usize = 300;
        for (index, word) in self.words.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            let shown = &word[..word.len().min(READABLE)];
            write!(f, "{space}\"{}\"", shown.escape_ascii())?;
            if word.len() > READABLE {
                write!(f, "...({} bytes)", word.len())?;
            }
        }
        Ok(())
    }
}
