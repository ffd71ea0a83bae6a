//! How a server is started: which module, which settings, which files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Server, repository};

/// How a server is to be started.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The module to load, or none.
    pub(crate) module: Option<PathBuf>,
    pub(crate) module_arguments: Vec<String>,
    /// A second module, if there is one.
    pub(crate) other_module: Option<PathBuf>,
    /// `--name value ...`, as on the command line.
    pub(crate) settings: Vec<String>,
    pub(crate) config_file: Option<String>,
    /// What the server finds in its folder when it starts.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Whether it is to be a node of a cluster.
    pub(crate) is_node: bool,
    /// The program that the server runs under, and its arguments.
    pub(crate) tool: Vec<String>,
}

impl Options {
    /// Where the module is that ships.
    pub fn module_path() -> PathBuf {
        path_from("KEYNS_MODULE", "target/release/libkeyns.so")
    }

    /// Where the one with KEYNS.PANIC in it is.
    pub fn panic_module_path() -> PathBuf {
        path_from("KEYNS_PANIC_MODULE", "target/debug/libkeyns.so")
    }

    /// The module that ships, no persistence, and DEBUG allowed.
    pub fn new() -> Options {
        Options {
            module: Some(Options::module_path()),
            ..Options::without_module()
        }
    }

    /// The module with KEYNS.PANIC in it.
    pub fn with_panic_command() -> Options {
        Options {
            module: Some(Options::panic_module_path()),
            ..Options::without_module()
        }
    }

    /// The module that ships, beside one that meddles with its keys.
    pub fn with_meddler() -> Options {
        let target = Options::panic_module_path();
        let meddler = target.with_file_name("examples/libmeddler.so");
        assert!(
            meddler.exists(),
            "`cargo test` builds {}",
            meddler.display()
        );
        Options {
            other_module: Some(meddler),
            ..Options::unloadable()
        }
    }

    /// The module that meddles, without the one whose keys it meddles with. A server that ends over it
    /// does so at once, and writes no report: jemalloc fills freed memory with junk, so that a server
    /// that uses it does not get through by luck.
    pub fn with_meddler_only() -> Options {
        // The second name is that of the jemalloc that servers bring along.
        let junk = ["env", "MALLOC_CONF=junk:true", "JE_MALLOC_CONF=junk:true"];
        let options = Options {
            module: None,
            tool: junk.map(String::from).into(),
            ..Options::with_meddler()
        };
        options.set("--crash-log-enabled", &["no"])
    }

    /// The module that ships, loaded so that every server lets it go again.
    pub fn unloadable() -> Options {
        Options::new()
            .module_arguments(&["namespaces-in-rdb", "no"])
            .set("--enable-module-command", &["yes"])
    }

    pub fn without_module() -> Options {
        Options::default()
            .set("--save", &[""])
            .set("--enable-debug-command", &["yes"])
    }

    /// A node of a cluster.
    pub fn node() -> Options {
        Options {
            is_node: true,
            ..Options::new().set("--cluster-enabled", &["yes"])
        }
    }

    /// What a configuration file says, which CONFIG REWRITE can write to.
    pub fn config_file(path: &str) -> Options {
        Options {
            config_file: Some(path.into()),
            ..Options::without_module()
        }
    }

    pub fn set(mut self, name: &str, values: &[&str]) -> Options {
        self.settings.push(name.into());
        self.settings.extend(values.iter().map(|&v| v.into()));
        self
    }

    pub fn module_arguments(mut self, arguments: &[&str]) -> Options {
        self.module_arguments = arguments.iter().map(|&a| a.into()).collect();
        self
    }

    /// Has the server find a file in its folder, which its paths are relative to.
    pub fn file(mut self, name: &str, content: impl Into<Vec<u8>>) -> Options {
        self.files.push((name.into(), content.into()));
        self
    }

    /// Runs the server under another program, such as valgrind.
    pub fn under(mut self, tool: &[&str]) -> Options {
        self.tool = tool.iter().map(|&word| word.into()).collect();
        self
    }

    /// Every write in the AOF, and the AOF on disk, before its reply.
    pub fn durable(self) -> Options {
        self.set("--appendonly", &["yes"])
            .set("--appendfsync", &["always"])
    }

    #[track_caller]
    pub fn start(self) -> Server {
        let mut server = Server::prepare(self);
        if let Err(log) = server.try_start() {
            panic!("the server does not start:\n{log}");
        }
        server
    }

    /// A server that finds this file under this name in its folder.
    #[track_caller]
    pub fn start_with(self, file: &Path, name: &str) -> Server {
        let mut server = Server::prepare(self);
        fs::copy(file, server.dir.join(name)).expect("a copy of the file");
        if let Err(log) = server.try_start() {
            panic!("the server does not start:\n{log}");
        }
        server
    }

    /// A server that finds a copy of this folder under this name in its own, or its log if it
    /// does not start.
    pub fn start_on(self, folder: &Path, name: &str) -> Result<Server, String> {
        let mut server = Server::prepare(self);
        fs::create_dir_all(server.dir.join(name)).expect("a folder");
        for file in fs::read_dir(folder).expect("a folder") {
            let file = file.expect("a file");
            let copy = server.dir.join(name).join(file.file_name());
            fs::copy(file.path(), copy).expect("a copy of the file");
        }
        server.try_start()?;
        Ok(server)
    }

    /// The log of a server that must not start.
    #[track_caller]
    pub fn refused(self) -> String {
        let mut server = Server::prepare(self);
        match server.try_start() {
            Ok(()) => panic!("the server starts"),
            Err(log) => log,
        }
    }
}

fn path_from(variable: &str, default: &str) -> PathBuf {
    let path = std::env::var_os(variable).map_or_else(|| repository().join(default), PathBuf::from);
    assert!(
        path.exists(),
        "{} is missing: `make test` builds it",
        path.display()
    );
    path
}
