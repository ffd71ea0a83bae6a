//! Where and with what something was measured.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;
use std::thread::{available_parallelism, sleep};
use std::time::Duration;

use keyns_testkit::repository;

/// The versions of what was measured, the machine, how idle it was before, and the day.
pub fn setting(versions: &[String], idle: Option<f64>) -> String {
    let mut all = versions.to_vec();
    all.extend(keyns());
    all.extend(rustc());
    let idle = idle.map(|idle| format!(", {:.0}% idle before", idle * 100.0));
    format!(
        "{}; {}{}; {}",
        all.join(", "),
        processors(),
        idle.unwrap_or_default(),
        date()
    )
}

/// How many, and of which kind.
pub fn processors() -> String {
    let cores = available_parallelism().map_or(1, usize::from);
    let plural = if cores == 1 { "" } else { "s" };
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    let model = line.and_then(|line| line.split_once(": "));
    let model = model.map_or("an unknown processor", |(_, model)| model.trim());
    // Inside a virtual machine the processor says that it is one.
    let kind = match text.contains(" hypervisor") {
        true => " (a virtual machine)",
        false => "",
    };
    format!("{cores} core{plural} of {model}{kind}")
}

/// How idle the machine is before something is measured: whether the numbers can be trusted.
pub fn idle() -> Option<f64> {
    let before = ticks()?;
    sleep(Duration::from_secs(1));
    let after = ticks()?;
    let passed: Vec<f64> = after.iter().zip(&before).map(|(a, b)| a - b).collect();
    // The fourth is what nobody wanted. Others wait for disks, or are taken by neighbours.
    Some(passed.get(3)? / passed.iter().sum::<f64>())
}

/// What all cores together have done since they were started.
fn ticks() -> Option<Vec<f64>> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let line = text.lines().next()?.strip_prefix("cpu ")?;
    // The last two, of guests, are in the first two.
    let words = line.split_whitespace().take(8);
    words.map(|word| word.parse().ok()).collect()
}

fn keyns() -> Option<String> {
    let script = repository().join("scripts/version");
    Some(format!("keyns {}", output(&script, &[])?))
}

fn rustc() -> Option<String> {
    let version = output("rustc", &["--version"])?;
    let number = version.split(' ').nth(1)?;
    Some(format!("rustc {number}"))
}

fn date() -> String {
    output("date", &["-u", "+%Y-%m-%d"]).unwrap_or_else(|| "an unknown day".into())
}

fn output(program: impl AsRef<OsStr>, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
