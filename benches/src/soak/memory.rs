//! What the server's memory was at every second, and whether it grows.

use keyns_testkit::Client;

/// How much the line through the second half may rise, in times of its mean: documents come and go,
/// so it is never quite level.
const MAY_RISE: f64 = 0.25;

/// So long after the restart, in times of the whole, the server has not yet all that it will have.
const WARM_UP: f64 = 0.1;

/// Shorter ones say nothing about growth.
pub const SECONDS_THAT_SAY_SOMETHING: f64 = 240.0;

pub struct Sample {
    pub second: f64,
    /// `used_memory` and `used_memory_rss`, in bytes.
    pub used: f64,
    pub resident: f64,
}

impl Sample {
    /// `None` while the server is away.
    pub fn take(second: f64, port: u16) -> Option<Sample> {
        let mut client = Client::connect(port).ok()?;
        let info = client.try_call(&["INFO", "memory"]).ok()?;
        if info.is_error() {
            return None;
        }
        let text = info.text();
        let field = |name: &str| {
            let mut fields = text.lines().filter_map(|line| line.split_once(':'));
            fields.find(|(field, _)| *field == name)?.1.parse().ok()
        };
        Some(Sample {
            second,
            used: field("used_memory")?,
            resident: field("used_memory_rss")?,
        })
    }
}

/// The line through the samples of the second half.
pub struct Trend {
    pub mean: f64,
    /// Bytes in a second.
    pub slope: f64,
    pub seconds: f64,
}

impl Trend {
    pub fn of(samples: &[Sample], length: f64) -> Option<Trend> {
        let from = length * (0.5 + WARM_UP);
        let points: Vec<(f64, f64)> = samples
            .iter()
            .filter(|sample| sample.second >= from)
            .map(|sample| (sample.second, sample.used))
            .collect();
        let (first, last) = (points.first()?.0, points.last()?.0);
        let count = points.len() as f64;
        let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
        let mean = points.iter().map(|(_, y)| y).sum::<f64>() / count;
        let spread: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
        let common: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean)).sum();
        (spread > 0.0).then(|| Trend {
            mean,
            slope: common / spread,
            seconds: last - first,
        })
    }

    /// How far it rises, in times of its mean.
    pub fn rise(&self) -> f64 {
        self.slope * self.seconds / self.mean
    }

    pub fn is_level(&self) -> bool {
        self.rise() <= MAY_RISE
    }
}
