//! What the comparison with the last recorded run says, as text.

use crate::report::Ratio;
use crate::report::guard::{Change, Comparison, NOTICED};

pub fn text(comparison: &Comparison) -> String {
    let Comparison {
        worse,
        better,
        gone,
        new,
        compared,
    } = comparison;
    let mut text = format!(
        "Beside the last recorded run: of {compared} ratios {} got worse, {} got better (by more \
         than {:.0}%, and more than rounds differ).",
        worse.len(),
        better.len(),
        NOTICED * 100.0
    );
    text += &changes("Worse", worse);
    text += &changes("Better", better);
    text += &names("Not measured any more", gone);
    text += &names("Measured for the first time", new);
    text
}

fn changes(title: &str, changes: &[Change]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n\n{title}:\n\n| part | what | keys | over | recorded | middle half | now | middle half | times |\n\
         |---|---|---|---|---|---|---|---|---|"
    );
    for change in changes {
        let Ratio {
            part,
            case,
            keys,
            over,
            ..
        } = change.now;
        let [before, now] = [change.before, change.now].map(|ratio| {
            let spread = &ratio.spread;
            format!(
                "{:.2} | {:.2} to {:.2}",
                spread.middle, spread.lower, spread.upper
            )
        });
        text += &format!(
            "\n| {part} | {case} | {keys} | {over} | {before} | {now} | {:.2} |",
            change.factor()
        );
    }
    text
}

/// By the number where they are many, as in a first run.
fn names(title: &str, ratios: &[&Ratio]) -> String {
    const FEW: usize = 20;
    match ratios.len() {
        0 => String::new(),
        count if count > FEW => format!("\n\n{title}: {count} ratios."),
        _ => {
            let lines = ratios.iter().map(|ratio| {
                let (part, case, keys, over) = ratio.name();
                format!("\n- {part}: {case}, {keys}, over {over}")
            });
            format!("\n\n{title}:\n{}", lines.collect::<String>())
        }
    }
}
