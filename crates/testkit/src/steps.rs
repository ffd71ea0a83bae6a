//! The steps of a page, performed on servers as an operator would: by the shell, line by line.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Client, Options, Page, Server, wait_until};

/// A server with a configuration file and a module file of its own.
pub struct Node {
    pub server: Server,
    folder: PathBuf,
}

impl Node {
    /// Starts a server with a copy of this module and these lines in its configuration.
    #[track_caller]
    pub fn start(module: &Path, lines: &str) -> Node {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("keyns-node-{}-{count}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder for the node");
        fs::copy(module, folder.join("libkeyns.so")).expect("a copy of the module");
        let load = format!("loadmodule {}\n", folder.join("libkeyns.so").display());
        let file = folder.join("redis.conf");
        fs::write(&file, load + lines).expect("a configuration");
        let path = file.display().to_string();
        let server = Options::config_file(&path)
            .set("--enable-module-command", &["yes"])
            .set("--repl-diskless-sync-delay", &["0"])
            .start();
        Node { server, folder }
    }

    pub fn client(&self) -> Client {
        self.server.client()
    }

    pub fn configuration(&self) -> String {
        fs::read_to_string(self.folder.join("redis.conf")).expect("a configuration")
    }

    /// Gives another node a file that a step has written.
    #[track_caller]
    pub fn hand_over(&self, name: &str, to: &Node) {
        fs::copy(self.folder.join(name), to.folder.join(name)).expect("a copy of the file");
    }

    /// As a service is stopped: asked to end, which saves what there is to save.
    fn stop(&mut self) {
        // It closes the connection instead of an answer.
        let _ = self.client().try_call(&["SHUTDOWN"]);
        self.server.kill();
    }

    #[track_caller]
    pub fn restart(&mut self) {
        self.stop();
        self.server.start_again();
    }

    /// Whether it is a replica that has caught up, and of which port.
    pub fn follows(&self) -> Option<u16> {
        let mut client = Client::connect(self.server.port).ok()?;
        let info = client.try_call(&["INFO", "replication"]).ok()?.text();
        let field = |name: &str| {
            let mut fields = info.lines().filter_map(|line| line.split_once(':'));
            fields
                .find(|(field, _)| *field == name)
                .map(|found| found.1)
        };
        let is_up = field("master_link_status") == Some("up");
        is_up.then(|| field("master_port")?.parse().ok()).flatten()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.server.kill();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Nodes under the names that a page has for them.
pub type Nodes<'a> = [(&'a str, &'a mut Node)];

/// The lines below a heading that are meant for the shell, in their order.
#[track_caller]
pub fn steps(page: &Page, heading: &str) -> Vec<String> {
    let section = page.section(heading);
    let blocks = section.split("\n```sh\n").skip(1);
    let lines = blocks.flat_map(|block| block.split("\n```").next().unwrap_or("").lines());
    let lines: Vec<String> = lines
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect();
    assert!(!lines.is_empty(), "no steps below '{heading}'");
    lines
}

/// Performs steps, and has a look at the nodes after each. A comment says by its first word which
/// node the lines below it are for; the first node is for those above any.
#[track_caller]
pub fn perform(steps: &[String], nodes: &mut Nodes, new: &Path, mut look: impl FnMut(&Nodes)) {
    let mut at = 0;
    for step in steps {
        if let Some(comment) = step.strip_prefix("# ") {
            let name = comment.split([',', ':', ' ']).next().unwrap_or_default();
            let found = nodes.iter().position(|(known, _)| *known == name);
            at = found.unwrap_or_else(|| panic!("no node for '{step}'"));
            continue;
        }
        if let Some(service) = step.strip_prefix("sudo systemctl ") {
            let node = &mut nodes[at].1;
            match service {
                "stop redis-server" => {
                    node.stop();
                    continue;
                }
                "start redis-server" => node.server.start_again(),
                "restart redis-server" => node.restart(),
                other => panic!("systemctl {other}"),
            }
        } else {
            let line = line_for(step, nodes, at, new);
            let repeats = step.contains("| grep");
            let run = || {
                Command::new("sh")
                    .args(["-ec", &line])
                    .output()
                    .expect("sh")
            };
            match repeats {
                true => wait_until(step, || run().status.success()),
                false => {
                    let output = run();
                    assert!(output.status.success(), "{step}\n{line}\n{output:?}");
                }
            }
        }
        look(nodes);
    }
}

/// A line of a page with this machine's ports and paths in it.
fn line_for(step: &str, nodes: &Nodes, at: usize, new: &Path) -> String {
    let node = &nodes[at].1;
    let in_folder = |name: &str| node.folder.join(name).display().to_string();
    let mut line = step
        .replace("sudo ", "")
        .replace(
            "redis-cli ",
            &format!("redis-cli -e -p {} ", node.server.port),
        )
        .replace(
            " target/release/libkeyns.so",
            &format!(" {}", new.display()),
        )
        .replace(
            "/usr/lib/redis/modules/libkeyns.so",
            &in_folder("libkeyns.so"),
        )
        .replace("/etc/redis/redis.conf", &in_folder("redis.conf"))
        .replace("namespaces.json", &in_folder("namespaces.json"))
        .replace("backup.rdb", &in_folder("backup.rdb"))
        .replace("/var/lib/redis", &node.server.dir.display().to_string());
    for (name, node) in nodes {
        let address = format!(" 127.0.0.1 {}", node.server.port);
        line = line.replace(&format!(" {name} 6379"), &address);
    }
    line
}
