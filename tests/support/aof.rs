//! What a server has written to its AOF.

use std::fs;

use super::Server;

/// The commands in it since it was last rewritten, with the bytes of every argument.
#[track_caller]
pub fn aof_commands(server: &Server) -> Vec<Vec<Vec<u8>>> {
    let files = fs::read_dir(server.dir.join("appendonlydir")).expect("the folder of the AOF");
    let mut paths = files.map(|file| file.expect("a file of the AOF").path());
    let path = paths.find(|path| path.to_string_lossy().ends_with(".incr.aof"));
    let aof = fs::read(path.expect("the end of the AOF")).expect("its bytes");
    let mut rest = aof.as_slice();
    let mut commands = Vec::new();
    while !rest.is_empty() {
        let count = number(&mut rest);
        commands.push((0..count).map(|_| argument(&mut rest)).collect());
    }
    commands
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
