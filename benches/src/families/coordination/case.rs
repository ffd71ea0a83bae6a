//! A command, the keys it is about, what it replies, and what it may cost.

/// How many commands a load has.
pub const COMMANDS: usize = 20_000;

#[derive(Clone, Copy, PartialEq)]
pub enum Keys {
    One,
    /// For numbers that have to come in their order.
    OnePerClient,
    Random,
    /// Each once. Before a load there are none, or they are made.
    Once,
}

impl Keys {
    pub fn name(self) -> &'static str {
        match self {
            Keys::One => "one",
            Keys::OnePerClient => "one per client",
            Keys::Random => "random",
            Keys::Once => "each once",
        }
    }
}

/// What is called for each key, in a database of its own.
#[derive(Clone)]
pub struct Calls {
    pub database: usize,
    /// Mostly one command.
    pub commands: Vec<Template>,
    /// What makes the keys before that.
    pub filler: Option<Template>,
}

impl Calls {
    fn new(database: usize, commands: &[&str]) -> Calls {
        Calls {
            database,
            commands: commands.iter().map(|line| Template::new(line)).collect(),
            filler: None,
        }
    }
}

#[derive(Clone)]
pub struct Case {
    pub name: &'static str,
    pub keys: Keys,
    pub own: Calls,
    /// The same in Lua.
    pub lua: Option<Calls>,
    /// How the reply to each of the commands begins.
    pub replies: &'static [&'static str],
    /// How many keys of the server there are for each key while nothing is called.
    pub lasting: usize,
    /// What it may cost at most, in costs of INCR.
    pub limit: Option<f64>,
    /// What Lua has to cost at least, in costs of the command.
    pub lua_limit: Option<f64>,
}

impl Case {
    /// A command in words without spaces, where `KEY` stands for the key, and `RISING` for a number
    /// that is greater in each command than in all before by the same client.
    pub fn new(name: &'static str, keys: Keys, line: &str) -> Case {
        Case::of_several(name, keys, &[line])
    }

    /// The same of commands that are called in turn.
    pub fn of_several(name: &'static str, keys: Keys, lines: &[&str]) -> Case {
        const OWN: usize = 2;
        Case {
            name,
            keys,
            own: Calls::new(OWN, lines),
            lua: None,
            replies: &[""],
            lasting: 1,
            limit: None,
            lua_limit: None,
        }
    }

    pub fn in_database(mut self, database: usize) -> Case {
        self.own.database = database;
        self
    }

    pub fn lua(self, line: &str) -> Case {
        self.lua_of_several(&[line])
    }

    pub fn lua_of_several(mut self, lines: &[&str]) -> Case {
        const LUA: usize = 3;
        self.lua = Some(Calls::new(LUA, lines));
        self
    }

    /// What makes the keys, where it is not what is measured.
    pub fn filled_by(mut self, own: &str, lua: &str) -> Case {
        self.own.filler = Some(Template::new(own));
        if let Some(calls) = &mut self.lua {
            calls.filler = Some(Template::new(lua));
        }
        self
    }

    pub fn replies(mut self, replies: &'static [&'static str]) -> Case {
        self.replies = replies;
        self
    }

    pub fn lasting(mut self, keys: usize) -> Case {
        self.lasting = keys;
        self
    }

    pub fn at_most(mut self, limit: f64) -> Case {
        self.limit = Some(limit);
        self
    }

    pub fn lua_at_least(mut self, limit: f64) -> Case {
        self.lua_limit = Some(limit);
        self
    }
}

/// A command with places for a key and a number.
#[derive(Clone)]
pub struct Template(Vec<String>);

impl Template {
    fn new(line: &str) -> Template {
        Template(line.split(' ').map(str::to_owned).collect())
    }

    pub fn command(&self, key: usize, rising: u64) -> Vec<String> {
        let words = self.0.iter().map(|word| match word.as_str() {
            "KEY" => format!("key:{key:012}"),
            "RISING" => rising.to_string(),
            // No word of a line is empty by itself.
            "NOTHING" => String::new(),
            word => word.to_owned(),
        });
        words.collect()
    }
}
