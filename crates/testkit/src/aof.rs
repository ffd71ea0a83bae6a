//! What a server has written to its AOF.

use std::fs;
use std::path::PathBuf;

use crate::{Client, Server, wait_until};

/// The commands in it since it was last rewritten, with the bytes of every argument.
#[track_caller]
pub fn aof_commands(server: &Server) -> Vec<Vec<Vec<u8>>> {
    wait_for_writes(server);
    let aof = fs::read(end_of_aof(server)).expect("its bytes");
    let mut rest = aof.as_slice();
    let mut commands = Vec::new();
    while !rest.is_empty() {
        let count = number(&mut rest);
        commands.push((0..count).map(|_| argument(&mut rest)).collect());
    }
    commands
}

/// The file that a server appends to.
#[track_caller]
pub fn end_of_aof(server: &Server) -> PathBuf {
    let files = fs::read_dir(server.dir.join("appendonlydir")).expect("the folder of the AOF");
    let mut paths = files.map(|file| file.expect("a file of the AOF").path());
    let path = paths.find(|path| path.to_string_lossy().ends_with(".incr.aof"));
    path.expect("the end of the AOF")
}

/// Has a server write its AOF anew, until that is done.
#[track_caller]
pub fn rewrite_aof(client: &mut Client) {
    let reply = client.run("BGREWRITEAOF");
    assert!(!reply.is_error(), "{reply:?}");
    wait_until("the AOF is rewritten", || {
        client.info("persistence", "aof_rewrite_in_progress") == "0"
            && client.info("persistence", "aof_rewrite_scheduled") == "0"
    });
    let status = client.info("persistence", "aof_last_bgrewrite_status");
    assert_eq!(status, "ok");
}

/// A server whose disk is slow puts writes off for a while, and answers all the same.
fn wait_for_writes(server: &Server) {
    if let Ok(mut client) = Client::connect(server.port) {
        wait_until("everything is in the AOF", || {
            client.info("persistence", "aof_buffer_length") == "0"
        });
    }
}

fn argument(rest: &mut &[u8]) -> Vec<u8> {
    let length = number(rest);
    let (bytes, after) = rest.split_at(length);
    *rest = &after[2..];
    bytes.to_vec()
}

/// Takes a line like `*3` or `$12` off.
fn number(rest: &mut &[u8]) -> usize {
    let end = rest.iter().position(|&b| b == b'\r').expect("a line");
    let (line, after) = rest.split_at(end);
    *rest = &after[2..];
    let digits = std::str::from_utf8(&line[1..]).expect("digits");
    digits.parse().expect("a number")
}
