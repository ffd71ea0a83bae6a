//! What a curve looks like.

use crate::report::Spread;

/// From this exponent on a curve is not called linear any more. Costs that are linear come out with
/// up to 1.1 where a larger size no longer fits into a cache.
const SUPERLINEAR: f64 = 1.15;
/// Exponents this close together are those of the same curve.
const ALIKE: f64 = 0.1;
/// From this exponent on it is linear, whatever the part is that every call pays.
const LINEAR: f64 = 0.5;
/// What grows by less, over all sizes, stays the same.
const CONSTANT: f64 = 1.25;

/// From the first size to the last of an axis that is too short to tell a line from a logarithm.
const SHORT: f64 = 30.0;

#[derive(Clone, Copy, PartialEq)]
pub enum Shape {
    Constant,
    Logarithmic,
    /// So many seconds for every call, and so many for each unit of its size.
    Linear {
        base: f64,
        each: f64,
    },
    /// Steeper than a line, but not more than the plain command that does the same kind of work.
    LikeCounterpart,
    Superlinear,
}

impl Shape {
    /// Of costs by size, the exponents of the upper half in each round, and that of the counterpart.
    pub fn of(points: &[(f64, f64)], upper: Spread, counterpart: Option<f64>) -> Shape {
        let [(first, least), .., (last, most)] = points else {
            panic!("a curve has at least two points");
        };
        let linear = Fit::of(points, |size| size);
        let logarithmic = Fit::of(points, f64::ln);
        if upper.middle > SUPERLINEAR && upper.low > 1.0 {
            let is_like = |exponent: f64| upper.middle <= exponent + ALIKE;
            return match counterpart.is_some_and(is_like) {
                true => Shape::LikeCounterpart,
                false => Shape::Superlinear,
            };
        }
        if most / least < CONSTANT {
            return Shape::Constant;
        }
        // Over a few sizes the two look alike: then it is called what is worse.
        let is_short = last / first < SHORT;
        let is_steep = linear.slope * last > linear.base && linear.error <= logarithmic.error;
        match upper.middle >= LINEAR || is_short || is_steep {
            true => Shape::Linear {
                base: linear.base,
                each: linear.slope,
            },
            false => Shape::Logarithmic,
        }
    }
}

/// The slope of the line through the points, both axes logarithmic.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs = points.iter().map(|(x, y)| (x.ln(), y.ln()));
    let count = points.len() as f64;
    let (x_sum, y_sum) = logs
        .clone()
        .fold((0.0, 0.0), |(xs, ys), (x, y)| (xs + x, ys + y));
    let (x_mean, y_mean) = (x_sum / count, y_sum / count);
    let covariance: f64 = logs.clone().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    let variance: f64 = logs.map(|(x, _)| (x - x_mean).powi(2)).sum();
    covariance / variance
}

/// `base + slope * f(x)` with the least sum of squares of relative errors.
struct Fit {
    base: f64,
    slope: f64,
    error: f64,
}

impl Fit {
    fn of(points: &[(f64, f64)], f: fn(f64) -> f64) -> Fit {
        let points = || points.iter().map(|&(x, y)| (f(x), y, 1.0 / (y * y)));
        let sum = |term: fn(f64, f64) -> f64| -> f64 {
            points().map(|(x, y, weight)| term(x, y) * weight).sum()
        };
        let (one, x, y) = (sum(|_, _| 1.0), sum(|x, _| x), sum(|_, y| y));
        let (xx, xy) = (sum(|x, _| x * x), sum(|x, y| x * y));
        let slope = (one * xy - x * y) / (one * xx - x * x);
        let base = (y - slope * x) / one;
        let errors = points().map(|(x, y, weight)| (base + slope * x - y).powi(2) * weight);
        Fit {
            base,
            slope,
            error: errors.sum(),
        }
    }
}
