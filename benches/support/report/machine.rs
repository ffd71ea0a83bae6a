//! Where and with what something was measured.

use std::fs;
use std::process::Command;
use std::thread::available_parallelism;

/// What runs beside the server, such as `redis-cell 0.2.2`, comes behind it.
pub fn setting(versions: &[String]) -> String {
    let cores = available_parallelism().map_or(1, usize::from);
    let plural = if cores == 1 { "" } else { "s" };
    let mut all = versions.to_vec();
    all.push(format!("keyns {}", env!("CARGO_PKG_VERSION")));
    all.extend(rustc());
    format!(
        "{}; {cores} core{plural} of {}; load average {} at the start; {}",
        all.join(", "),
        processor(),
        load(),
        date()
    )
}

fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    let model = line.and_then(|line| line.split_once(": "));
    let model = model.map_or("an unknown processor", |(_, model)| model.trim());
    // Inside a virtual machine the processor says that it is one.
    match text.contains(" hypervisor") {
        true => format!("{model} (a virtual machine)"),
        false => model.into(),
    }
}

/// How many processes wanted to run in the last minute.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("unknown").into()
}

fn rustc() -> Option<String> {
    let version = output("rustc", &["--version"])?;
    let number = version.split(' ').nth(1)?;
    Some(format!("rustc {number}"))
}

fn date() -> String {
    output("date", &["-u", "+%Y-%m-%d"]).unwrap_or_else(|| "an unknown day".into())
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
