//! Numbers in words: known traps by name, everything else by reading the words back with parsers
//! that share no table and no structure with the generator.

use keyns_core::argument::Keyword;
use keyns_core::naming::number_words::{Lang, spell, spell_digits};
use proptest::prelude::*;

fn spelled(number: u64, lang: Lang) -> String {
    let mut out = Vec::new();
    spell(number, lang, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// The value of `word` in a list of words that stand for `first`, `first` + 1 and so on.
fn position(list: &str, word: &str, first: u64) -> Option<u64> {
    let index = list.split(' ').position(|entry| entry == word)?;
    Some(first + index as u64)
}

mod german {
    use super::position;

    /// 1 ..= 9 as they stand before `hundert` and `und`.
    fn stem(word: &str) -> Option<u64> {
        position("ein zwei drei vier fuenf sechs sieben acht neun", word, 1)
    }

    fn below_hundred(word: &str, one: &str) -> Option<u64> {
        if word == one {
            return Some(1);
        }
        if let Some((unit, tens)) = word.split_once("und") {
            return Some(stem(unit)? + self::tens(tens)?);
        }
        if let Some(unit) = word.strip_suffix("zehn").filter(|unit| !unit.is_empty()) {
            return position("drei vier fuenf sech sieb acht neun", unit, 13);
        }
        position("zehn elf zwoelf", word, 10)
            .or_else(|| tens(word))
            .or_else(|| stem(word).filter(|unit| *unit > 1))
    }

    fn tens(word: &str) -> Option<u64> {
        let list = "zwanzig dreissig vierzig fuenfzig sechzig siebzig achtzig neunzig";
        Some(position(list, word, 2)? * 10)
    }

    fn below_thousand(word: &str, one: &str) -> Option<u64> {
        match word.split_once("hundert") {
            Some((count, "")) => Some(stem(count)? * 100),
            Some((count, rest)) => Some(stem(count)? * 100 + below_hundred(rest, one)?),
            None => below_hundred(word, one),
        }
    }

    fn below_million(word: &str) -> Option<u64> {
        match word.split_once("tausend") {
            Some((count, "")) => Some(below_thousand(count, "ein")? * 1000),
            Some((count, rest)) => {
                Some(below_thousand(count, "ein")? * 1000 + below_thousand(rest, "eins")?)
            }
            None => below_thousand(word, "eins"),
        }
    }

    pub fn parse(text: &str) -> Option<u64> {
        if text == "null" {
            return Some(0);
        }
        let mut total = 0u64;
        let mut last_power = u32::MAX;
        let mut words = text.split('_');
        while let Some(word) = words.next() {
            let Some(noun) = words.next() else {
                return total.checked_add(below_million(word)?);
            };
            let count = below_thousand(word, "eine")?;
            let nouns = match count {
                1 => "million milliarde billion billiarde trillion",
                _ => "millionen milliarden billionen billiarden trillionen",
            };
            let power = 3 * position(nouns, noun, 2)? as u32;
            if power >= last_power {
                return None;
            }
            last_power = power;
            total = total.checked_add(count.checked_mul(10u64.pow(power))?)?;
        }
        Some(total)
    }
}

mod english {
    use super::position;

    fn unit(word: &str) -> Option<u64> {
        position("one two three four five six seven eight nine", word, 1)
    }

    /// The numbers of one word that takes no unit after it.
    fn teen(word: &str) -> Option<u64> {
        let list = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen \
            nineteen";
        position(list, word, 10)
    }

    fn tens(word: &str) -> Option<u64> {
        let list = "twenty thirty forty fifty sixty seventy eighty ninety";
        Some(position(list, word, 2)? * 10)
    }

    fn below_thousand(words: &[&str]) -> Option<u64> {
        match words {
            [count, "hundred"] => Some(unit(count)? * 100),
            [count, "hundred", rest @ ..] => Some(unit(count)? * 100 + below_hundred(rest)?),
            rest => below_hundred(rest),
        }
    }

    fn below_hundred(words: &[&str]) -> Option<u64> {
        match words {
            [word] => unit(word).or_else(|| teen(word)).or_else(|| tens(word)),
            [first, second] => Some(tens(first)? + unit(second)?),
            _ => None,
        }
    }

    pub fn parse(text: &str) -> Option<u64> {
        if text == "zero" {
            return Some(0);
        }
        let words: Vec<&str> = text.split('_').collect();
        let mut rest = words.as_slice();
        let mut total = 0u64;
        let scales = "quintillion quadrillion trillion billion million thousand";
        for (scale, power) in scales.split(' ').zip([18, 15, 12, 9, 6, 3]) {
            // A scale word out of order stays in a count, which then fails to parse.
            if let Some(at) = rest.iter().position(|word| *word == scale) {
                let (count, tail) = rest.split_at(at);
                let value = below_thousand(count)?.checked_mul(10u64.pow(power))?;
                total = total.checked_add(value)?;
                rest = tail.split_first()?.1;
            }
        }
        if rest.is_empty() {
            Some(total)
        } else {
            total.checked_add(below_thousand(rest)?)
        }
    }
}

fn is_slug(text: &str) -> bool {
    text.split('_')
        .all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// Reading every number's words back also proves that no two numbers share their words.
fn assert_round_trip(number: u64) {
    let (de, en) = (spelled(number, Lang::De), spelled(number, Lang::En));
    assert!(is_slug(&de) && is_slug(&en), "{number}: {de} / {en}");
    assert_eq!(german::parse(&de), Some(number), "{de}");
    assert_eq!(english::parse(&en), Some(number), "{en}");
}

#[test]
fn german_traps_are_spelled_as_icu_does() {
    for (number, words) in [
        (0, "null"),
        (1, "eins"),
        (5, "fuenf"),
        (12, "zwoelf"),
        (16, "sechzehn"),
        (17, "siebzehn"),
        (21, "einundzwanzig"),
        (30, "dreissig"),
        (66, "sechsundsechzig"),
        (77, "siebenundsiebzig"),
        (100, "einhundert"),
        (101, "einhunderteins"),
        (1000, "eintausend"),
        (1001, "eintausendeins"),
        (2024, "zweitausendvierundzwanzig"),
        (101_000, "einhunderteintausend"),
        (101_001, "einhunderteintausendeins"),
        (1_000_000, "eine_million"),
        (1_001_000, "eine_million_eintausend"),
        (2_000_000, "zwei_millionen"),
        (21_000_001, "einundzwanzig_millionen_eins"),
        (101_000_000, "einhunderteine_millionen"),
        (1_001_000_001, "eine_milliarde_eine_million_eins"),
        (101_000_000_000, "einhunderteine_milliarden"),
        (1_000_000_000_000_000, "eine_billiarde"),
        (2_000_000_000_000_000_000, "zwei_trillionen"),
    ] {
        assert_eq!(spelled(number, Lang::De), words);
    }
}

#[test]
fn english_traps_are_spelled_as_icu_does() {
    for (number, words) in [
        (0, "zero"),
        (1, "one"),
        (16, "sixteen"),
        (40, "forty"),
        (100, "one_hundred"),
        (101, "one_hundred_one"),
        (1000, "one_thousand"),
        (2024, "two_thousand_twenty_four"),
        (101_000, "one_hundred_one_thousand"),
        (21_000_001, "twenty_one_million_one"),
        (101_000_000, "one_hundred_one_million"),
        (1_000_000_000, "one_billion"),
        (2_000_000_000_000_000_000, "two_quintillion"),
    ] {
        assert_eq!(spelled(number, Lang::En), words);
    }
}

#[test]
fn the_parsers_reject_ungrammatical_words() {
    let german_faults = "_ ein eine hundert einshundert eine_millionen eins_million zwei_million \
        einhunderteins_millionen eins_eins null_eins einszwei eine_million_eine_milliarde \
        eine_million_null eine_million_eine_million einundzehn sechszehn eintausend_ one";
    for text in german_faults.split_whitespace().chain([""]) {
        assert_eq!(german::parse(text), None, "{text}");
    }
    let english_faults = "_ hundred one_one twenty_ten ten_one one_hundred_and_one one_zero \
        million one_thousand_two_million eleven_hundred one_million_million one_ eins";
    for text in english_faults.split_whitespace().chain([""]) {
        assert_eq!(english::parse(text), None, "{text}");
    }
}

#[test]
fn all_numbers_to_a_hundred_thousand_read_back() {
    (0..=100_000).for_each(assert_round_trip);
}

#[test]
fn powers_of_ten_their_neighbours_and_the_largest_number_read_back() {
    for power in (0..=19).map(|exponent| 10u64.pow(exponent)) {
        (power - 1..=power + 1).for_each(assert_round_trip);
    }
    assert_round_trip(u64::MAX);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn numbers_of_every_magnitude_read_back(
        number in (0u32..=19).prop_flat_map(|exponent| {
            let low = 10u64.pow(exponent);
            low..=low.saturating_mul(10)
        })
    ) {
        assert_round_trip(number);
    }

    #[test]
    fn numbers_made_of_inflected_and_empty_groups_read_back(
        groups in prop::collection::vec(prop::sample::select(vec![0u64, 1, 2, 21, 100, 101, 999]), 6)
    ) {
        assert_round_trip(groups.iter().fold(0, |number, group| number * 1000 + group));
    }
}

#[test]
fn digits_are_read_one_by_one_and_other_bytes_skipped() {
    let read = |digits: &[u8], lang| {
        let mut out = Vec::new();
        spell_digits(digits, lang, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    };
    let german = "null_eins_zwei_drei_vier_fuenf_sechs_sieben_acht_neun";
    assert_eq!(read(b"0123456789", Lang::De), german);
    let english = "zero_one_two_three_four_five_six_seven_eight_nine";
    assert_eq!(read(b"0123456789", Lang::En), english);
    assert_eq!(read(b"-1.\xff0", Lang::De), "eins_null");
    assert_eq!(read(b"abc", Lang::En), "");
}

#[test]
fn appending_leaves_earlier_bytes_alone_and_adds_no_separator_to_them() {
    let mut out = b"a:".to_vec();
    spell(1, Lang::De, &mut out);
    spell_digits(b"12", Lang::En, &mut out);
    assert_eq!(out, b"a:einsone_two");
}

#[test]
fn language_names_are_read_in_any_case_and_german_is_the_default() {
    assert_eq!(Lang::find(b"De"), Some(Lang::De));
    assert_eq!(Lang::find(b"EN"), Some(Lang::En));
    assert_eq!(Lang::find(b"d"), None);
    assert_eq!(Lang::find(b"de "), None);
    assert_eq!(Lang::default().name(), "de");
}
