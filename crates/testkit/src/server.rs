//! A server process with the module, its data in a folder of its own, ended with its guard.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{Client, Options, signal};

pub struct Server {
    options: Options,
    pub port: u16,
    pub dir: PathBuf,
    process: Option<Child>,
}

impl Server {
    /// A server with the module and nothing else special.
    #[track_caller]
    pub fn start() -> Server {
        Options::new().start()
    }

    pub(crate) fn prepare(options: Options) -> Server {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("keyns-test-{}-{count}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        fs::create_dir_all(&dir).expect("a folder for the server");
        Server {
            options,
            port: 0,
            dir,
            process: None,
        }
    }

    /// Starts the process and waits until it answers; its log if it ends instead.
    pub(crate) fn try_start(&mut self) -> Result<(), String> {
        // Another process may take the free port before the server does.
        for _ in 0..5 {
            if self.port == 0 {
                self.port = match self.options.is_node {
                    true => free_node_port(),
                    false => free_port(),
                };
            }
            for (name, content) in &self.options.files {
                fs::write(self.dir.join(name), content).expect("a file for the server");
            }
            self.process = Some(self.spawn());
            let start = Instant::now();
            while start.elapsed() < patience() {
                let process = self.process.as_mut().expect("it was just started");
                let process_id = process.id();
                if process.try_wait().expect("its state").is_some() {
                    break;
                }
                if self.answers(process_id) {
                    return Ok(());
                }
                sleep(Duration::from_millis(10));
            }
            self.kill();
            if !self.log().contains("Address already in use") {
                break;
            }
            self.port = 0;
        }
        Err(self.log())
    }

    fn spawn(&self) -> Child {
        let server = std::env::var("KEYNS_SERVER").unwrap_or_else(|_| "redis-server".into());
        let tool = self.options.tool.iter().map(String::as_str);
        let mut words = tool.chain(server.split_whitespace());
        let mut command = Command::new(words.next().expect("KEYNS_SERVER names a program"));
        command.args(words);
        command.args(&self.options.config_file);
        command.args(["--port", &self.port.to_string(), "--bind", "127.0.0.1"]);
        command.arg("--dir").arg(&self.dir);
        command.args(["--logfile", "server.log", "--daemonize", "no"]);
        command.args(&self.options.settings);
        if let Some(module) = &self.options.module {
            command.arg("--loadmodule").arg(module);
            command.args(&self.options.module_arguments);
        }
        if let Some(module) = &self.options.other_module {
            command.arg("--loadmodule").arg(module);
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{server} cannot be run: {error}"))
    }

    /// Whether it is this process that answers on the port, with its data loaded.
    fn answers(&self, process_id: u32) -> bool {
        let info = Client::connect(self.port)
            .and_then(|mut client| Ok([client.try_call(&["INFO"])?, client.try_call(&["PING"])?]));
        let Ok([info, ping]) = info else {
            return false;
        };
        let loading = ping.is_error() && ping.text().starts_with("LOADING");
        let ours = format!("process_id:{process_id}\r\n");
        !loading && info.text().contains(&ours)
    }

    #[track_caller]
    pub fn client(&self) -> Client {
        Client::connect(self.port).expect("the server takes connections")
    }

    /// A client that speaks RESP3.
    #[track_caller]
    pub fn client3(&self) -> Client {
        let mut client = self.client();
        assert!(!client.run("HELLO 3").is_error());
        client
    }

    /// A new server that replicates this one, once it has all of its data.
    #[track_caller]
    pub fn replica(&self) -> Server {
        let replica = Options::new().start();
        replica.follow(self);
        replica
    }

    /// Has it replicate another server, until it has all of its data.
    #[track_caller]
    pub fn follow(&self, primary: &Server) {
        // By default a primary waits some seconds for more replicas to come.
        let mut client = primary.client();
        client.run("CONFIG SET repl-diskless-sync-delay 0");
        let mut client = self.client();
        client.run(&format!("REPLICAOF 127.0.0.1 {}", primary.port));
        wait_until("the replica is connected", || {
            client.info("replication", "master_link_status") == "up"
        });
    }

    /// Whether commands of modules can be in ACL categories, which Redis 7.0 does not know.
    pub fn has_module_categories(&self) -> bool {
        let info = self.client().run("INFO server").text();
        !info.contains("redis_version:7.0.")
    }

    /// Whether snapshots have the namespaces as module data, which Redis 7.0 could not leave out
    /// again.
    pub fn has_module_data(&self) -> bool {
        self.has_module_categories()
    }

    /// `DEBUG DIGEST`: equal for equal data.
    #[track_caller]
    pub fn digest(&self) -> String {
        self.client().run("DEBUG DIGEST").text()
    }

    /// Ends the process at once, as a crash would.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Lets the process end by itself, where `KEYNS_GENTLE_END` is set: a tool that watches it, as
    /// valgrind, has something to say at its end.
    fn end_gently(&mut self) {
        let Some(process) = &mut self.process else {
            return;
        };
        if std::env::var_os("KEYNS_GENTLE_END").is_none() {
            return;
        }
        if let Ok(None) = process.try_wait() {
            signal(&process.id().to_string(), "TERM");
        }
        let start = Instant::now();
        while start.elapsed() < patience() && matches!(process.try_wait(), Ok(None)) {
            sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the process has ended by itself.
    pub fn wait(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.wait().expect("its end");
        }
    }

    /// Starts it again on the same port and data.
    #[track_caller]
    pub fn start_again(&mut self) {
        self.kill();
        if let Err(log) = self.try_start() {
            panic!("the server does not start again:\n{log}");
        }
    }

    /// Starts it again with other options.
    #[track_caller]
    pub fn start_again_as(&mut self, options: Options) {
        self.kill();
        self.options = options;
        self.start_again();
    }

    pub fn log(&self) -> String {
        // It may have bytes in it that a client or a primary sent.
        let log = fs::read(self.dir.join("server.log")).unwrap_or_default();
        String::from_utf8_lossy(&log).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end_gently();
        self.kill();
        let _ = fs::remove_dir_all(&self.dir);
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("its address").port()
}

/// A port that is free together with that of the cluster's bus, 10,000 above. Both are below those
/// that systems give to connections: a node that was killed finds them free when it comes back.
fn free_node_port() -> u16 {
    const FIRST: u32 = 20_000;
    const COUNT: u32 = 2_700;
    static TRIES: AtomicU32 = AtomicU32::new(0);
    // Other processes look for ports too, and had better start elsewhere.
    let start = std::process::id() * 97;
    let is_free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
    (0..COUNT)
        .map(|_| start.wrapping_add(TRIES.fetch_add(1, Ordering::Relaxed)))
        .map(|number| (FIRST + number % COUNT) as u16)
        .find(|&port| is_free(port) && is_free(port + 10_000))
        .expect("a free port for a node")
}

/// How long to wait for what comes soon, unless it never comes: a minute, or the seconds that
/// `KEYNS_PATIENCE` says, where servers are slower than usual.
pub fn patience() -> Duration {
    let seconds = std::env::var("KEYNS_PATIENCE").ok();
    Duration::from_secs(seconds.and_then(|text| text.parse().ok()).unwrap_or(60))
}

/// Waits for something that is about to be true.
#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(
            start.elapsed() < patience(),
            "still not true after {:?}: {what}",
            patience()
        );
        sleep(Duration::from_millis(10));
    }
}
