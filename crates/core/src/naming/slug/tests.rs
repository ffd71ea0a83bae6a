//! The rules of slugs, by example.

use super::*;

fn wide() -> SlugOptions {
    SlugOptions {
        max_len: 64,
        ..SlugOptions::default()
    }
}

fn content() -> SlugOptions {
    SlugOptions {
        content: true,
        ..wide()
    }
}

#[track_caller]
fn check(options: SlugOptions, examples: &[(&str, &str)]) {
    for (text, expected) in examples {
        let slug = make(text.as_bytes(), &options);
        assert_eq!(slug.as_deref().unwrap_or(""), *expected, "{text:?}");
    }
}

#[test]
fn headings() {
    check(
        wide(),
        &[
            (
                "Portfolio Management & Risk Assessment",
                "portfolio_management_risk_assessment",
            ),
            (
                "Diversifikation: Der Schlüssel zum Erfolg",
                "diversifikation_der_schluessel_zum_erfolg",
            ),
            (
                "Value at Risk (VaR) Berechnungen",
                "value_at_risk_var_berechnungen",
            ),
            ("VaR Berechnung", "value_at_risk_berechnung"),
            ("ROI Analysis", "return_on_investment_analysis"),
            ("API Documentation", "api_documentation"),
            ("don't", "dont"),
            ("U.S. GAAP", "us_gaap"),
            ("snake_case/und-mehr – ja", "snake_case_und_mehr_ja"),
            ("Größe ÄÖÜ ẞ ß", "groesse_aeoeue_ss_ss"),
            ("Ça déjà vu à Łódź", "ca_deja_vu_a_lodz"),
            ("北京 2008", "bei_jing_2008"),
            ("🚀 Launch 🚀", "launch"),
        ],
    );
}

#[test]
fn the_default_length_is_thirty() {
    check(
        SlugOptions::default(),
        &[
            (
                "Portfolio Management & Risk Assessment Strategies",
                "portfolio_management_risk_asse",
            ),
            (
                "Diversifikation: Der Schlüssel zum Erfolg",
                "diversifikation_der_schluessel",
            ),
        ],
    );
}

#[test]
fn content_keeps_the_first_words_that_matter() {
    check(
        content(),
        &[
            (
                "Die Korrelation zwischen den Assets ist wichtig",
                "korrelation_zwischen_assets_wichtig",
            ),
            (
                "Standard Deviation misst die Volatilität von Renditen.",
                "standard_deviation_misst_volatilitaet",
            ),
            ("der die das", "der_die_das"),
            ("Das Value at Risk (VaR) steigt", "value_risk_var_steigt"),
            ("Das VaR steigt", "value_risk_steigt"),
        ],
    );
    check(
        SlugOptions {
            keep_stop_words: true,
            ..content()
        },
        &[
            (
                "Standard Deviation misst die Volatilität von Renditen.",
                "standard_deviation_misst_die",
            ),
            (
                "Diversifikation ist der Grundstein erfolgreicher Investments.",
                "diversifikation_ist_der_grundstein",
            ),
        ],
    );
    check(
        SlugOptions {
            words: 1,
            ..content()
        },
        &[
            ("Die Korrelation zwischen den Assets", "korrelation"),
            ("VaR", "value"),
        ],
    );
}

#[test]
fn leading_numbers_become_words() {
    check(
        wide(),
        &[
            ("5 Strategien", "fuenf_strategien"),
            ("2024 Analysis", "zweitausendvierundzwanzig_analysis"),
            ("3D Druck", "drei_d_druck"),
            ("007 Bond", "null_null_sieben_bond"),
            ("1.000.000 Dinge", "eine_million_dinge"),
            ("0 Fehler", "null_fehler"),
            ("Top 10", "top_10"),
            ("0123456789012345", "n_0123456789012345"),
        ],
    );
    check(
        SlugOptions {
            lang: Lang::En,
            ..wide()
        },
        &[("2024 Analysis", "two_thousand_twenty_four_analysis")],
    );
    check(
        SlugOptions {
            numbers: Numbers::None,
            ..wide()
        },
        &[
            ("2024 Analysis", "n_2024_analysis"),
            ("3D Druck", "n_3d_druck"),
        ],
    );
    check(
        SlugOptions {
            numbers: Numbers::All,
            ..wide()
        },
        &[
            ("Top 10 von 2024", "top_zehn_von_zweitausendvierundzwanzig"),
            ("H2O", "h_zwei_o"),
            ("h2o", "h_zwei_o"),
            ("3D", "drei_d"),
        ],
    );
    check(
        SlugOptions::default(),
        &[
            ("123456 Teile", "n_123456_teile"),
            ("1234567890123456 x", "n_1234567890123456_x"),
        ],
    );
    check(
        SlugOptions {
            max_len: 200,
            ..wide()
        },
        &[(
            "1234567890123456",
            "eins_zwei_drei_vier_fuenf_sechs_sieben_acht_neun_null_eins_zwei_drei_vier_fuenf_sechs",
        )],
    );
}

#[test]
fn points_in_numbers_separate_except_in_thousands() {
    check(
        SlugOptions {
            numbers: Numbers::Leading,
            ..wide()
        },
        &[
            ("x 1.000", "x_1000"),
            ("x 1,000,000.5", "x_1000000_5"),
            ("x 1.234,567", "x_1234_567"),
            ("x 3,5", "x_3_5"),
            ("x 192.168.1.1", "x_192_168_1_1"),
            ("x 12345.678.901", "x_12345_678_901"),
            ("x 0.500", "x_0_500"),
            ("x 1.0000", "x_1_0000"),
            ("x 2.000.5", "x_2_000_5"),
            ("x 1.000. Und", "x_1000_und"),
            ("x 1. Mai", "x_1_mai"),
            ("v1.2", "v1_2"),
        ],
    );
}

#[test]
fn symbols_become_words_on_demand() {
    check(
        SlugOptions {
            symbols: true,
            ..wide()
        },
        &[
            ("A&B", "a_and_b"),
            ("5% € $ @ #", "fuenf_prozent_euro_dollar_at_hash"),
            ("a + b = c", "a_plus_b_equals_c"),
            ("a<b>c", "a_less_than_b_greater_than_c"),
        ],
    );
    check(wide(), &[("A&B", "ab"), ("100 % € x", "einhundert_x")]);
}

#[test]
fn abbreviations_are_whole_words_in_their_case() {
    check(
        wide(),
        &[
            ("(VaR)", "value_at_risk"),
            ("VaR-Modell", "value_at_risk_modell"),
            ("VaRs var VAR", "vars_var_var"),
            ("value at risk, VaR", "value_at_risk_var"),
            ("Value at Risk und VaR", "value_at_risk_und_value_at_risk"),
        ],
    );
    check(
        SlugOptions {
            expand_abbreviations: false,
            ..wide()
        },
        &[("VaR Berechnung", "var_berechnung")],
    );
    let dictionary =
        Abbreviations::from_json(br#"{"R&D": "Research & Development", "ROI": "", "\u00d6PNV": "\u00d6ffentlicher Verkehr"}"#)
            .unwrap();
    let mut maker = SlugMaker::default();
    let mut slug = |text: &str| {
        let slug = maker.slug(text.as_bytes(), &wide(), &dictionary).unwrap();
        String::from_utf8(slug.to_vec()).unwrap()
    };
    assert_eq!(slug("R&D Team"), "research_development_team");
    assert_eq!(slug("ROI VaR"), "roi_value_at_risk");
    assert_eq!(slug("ÖPNV in Köln"), "oeffentlicher_verkehr_in_koeln");
}

#[test]
fn regressions() {
    // Letters that only look like an abbreviation.
    check(
        wide(),
        &[
            ("VáR Modell", "var_modell"),
            ("РОИ", "roi"),
            ("ＲＯＩ", "roi"),
            ("V\u{200B}aR", "var"),
            // Letters in circles and squares are symbols.
            ("Ⓜ Metro", "metro"),
            ("🅰 Team", "team"),
        ],
    );
    // The long form stands right before only where nothing, not even a stop word, is between.
    check(
        content(),
        &[
            ("Value at Risk und VaR", "value_risk_value_risk"),
            ("Value Risk VaR", "value_risk_value_risk"),
        ],
    );
    // A word `n` in front of a number is no escape.
    let all = SlugOptions {
        numbers: Numbers::All,
        ..wide()
    };
    check(
        all,
        &[
            ("N 12 Autobahn", "n_zwoelf_autobahn"),
            ("n_12_autobahn", "n_12_autobahn"),
        ],
    );
    // What is read does not depend on what comes after it.
    let short = SlugOptions {
        max_len: 20,
        lang: Lang::En,
        ..wide()
    };
    let text = "10000000000000 abcde f g";
    check(
        short,
        &[
            (text, "ten_trillion_abcde_f"),
            (&format!("{text}{}", " ".repeat(65)), "ten_trillion_abcde_f"),
        ],
    );
    // One letter is no slug, so it is nothing to go back to.
    let word = SlugOptions {
        max_len: 10,
        shorten: Shorten::Word,
        ..wide()
    };
    check(word, &[("a verylongwordthatdoesntfit", "a_verylong")]);
}

#[test]
fn a_symbol_in_an_abbreviation_belongs_to_it() {
    let dictionary = Abbreviations::from_json(br#"{"R&D": "research and development"}"#).unwrap();
    let options = SlugOptions {
        symbols: true,
        ..wide()
    };
    let mut maker = SlugMaker::default();
    let mut slug = |text: &str| {
        let slug = maker.slug(text.as_bytes(), &options, &dictionary).unwrap();
        String::from_utf8(slug.to_vec()).unwrap()
    };
    assert_eq!(slug("R&D Team"), "research_and_development_team");
    assert_eq!(slug("(R&D) & Team"), "research_and_development_and_team");
    assert_eq!(slug("Q&A"), "q_and_a");
    assert_eq!(
        slug("ROI% R&D€"),
        "return_on_investment_prozent_research_and_development_euro"
    );
}

#[test]
fn a_long_text_leaves_no_memory_behind() {
    let mut maker = SlugMaker::default();
    let text = format!("5 {}", "ab ".repeat(100_000));
    for shorten in [Shorten::Cut, Shorten::Vowels] {
        let options = SlugOptions {
            shorten,
            ..SlugOptions::default()
        };
        maker.slug(text.as_bytes(), &options, &Abbreviations::default());
        maker.slug(
            format!("ü{text}").as_bytes(),
            &options,
            &Abbreviations::default(),
        );
        let kept = maker.slug.capacity() + maker.folded.capacity() + maker.scratch.capacity();
        assert!(kept <= 3 * KEPT_CAPACITY, "{kept}");
    }
}

#[test]
fn a_dictionary_that_cannot_work_is_refused_with_its_entry() {
    for (json, reason) in [
        ("[]", "must be a JSON object"),
        ("{", "must be a JSON object"),
        (r#"{"sla": "x y"}"#, "'sla' must have a character"),
        (r#"{"A B": "x"}"#, "'A B' must be one word"),
        (r#"{"": "x"}"#, "must start and end"),
        (r#"{"(A)": "x"}"#, "must start and end"),
        (r#"{"A": 1}"#, "'A' must be a string"),
        (r#"{"A": "!"}"#, "'A' has no word"),
        (r#"{"V1.2": "x"}"#, "'V1.2' must be one word"),
    ] {
        let error = Abbreviations::from_json(json.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.contains(reason), "{json}: {error}");
        assert!(error.is_ascii());
    }
}

#[test]
fn shortening() {
    let text = "portfolio management risk assessment strategies";
    let at = |max_len, shorten| SlugOptions {
        max_len,
        shorten,
        ..SlugOptions::default()
    };
    check(
        at(30, Shorten::Vowels),
        &[(text, "portfolio_management_risk_asse")],
    );
    check(
        at(31, Shorten::Vowels),
        &[(text, "prtfl_mngmnt_rsk_ssssmnt_strtgs")],
    );
    check(
        at(12, Shorten::Vowels),
        &[("eine a e i o u tabelle", "en_tbll")],
    );
    check(
        at(30, Shorten::Word),
        &[(text, "portfolio_management_risk")],
    );
    check(
        at(25, Shorten::Word),
        &[(text, "portfolio_management_risk")],
    );
    check(at(24, Shorten::Word), &[(text, "portfolio_management")]);
    check(at(5, Shorten::Word), &[(text, "portf")]);
    check(at(10, Shorten::Cut), &[(text, "portfolio")]);
    check(at(2, Shorten::Cut), &[("a b", ""), ("ab", "ab")]);
}

#[test]
fn texts_without_a_slug() {
    check(
        wide(),
        &[
            ("", ""),
            (" \t\n", ""),
            ("a", ""),
            ("!?&", ""),
            ("🚀", ""),
            ("_", ""),
        ],
    );
    assert_eq!(make(b"\xff\xfe", &wide()), None);
    let stand_in = |text: &str, max_len| {
        let mut maker = SlugMaker::default();
        let name = maker.stand_in(text.as_bytes(), "20261116_053000", max_len, Shorten::Cut);
        String::from_utf8(name.to_vec()).unwrap()
    };
    assert_eq!(stand_in(" ", 30), "empty_content_20261116_053000");
    assert_eq!(stand_in("a", 30), "short_content_20261116_053000");
    assert_eq!(stand_in("!!", 30), "short_content_20261116_053000");
    assert_eq!(stand_in("!!!", 64), "special_chars_only_20261116_053000");
    assert_eq!(stand_in("!!!", 30), "special_chars_only_20261116_05");
    assert_eq!(stand_in("!!!", 2), "sp");
}

/// Reading takes a time that grows with the text. Where it grew with its square, this would take
/// minutes instead of a moment.
#[test]
fn long_texts_of_one_piece_are_read_in_one_go() {
    const BYTES: usize = 1 << 17;
    let mut maker = SlugMaker::default();
    let dictionary = Abbreviations::from_json(br#"{"R&D": "research and development"}"#).unwrap();
    for piece in [
        "&",
        "R&",
        "a&",
        "(&",
        "1.",
        "1,000.",
        "1",
        "a",
        "a ",
        "der ",
        "VaR ",
        "_",
        "ü",
        "\u{308}",
        "\u{1F680}",
        "\u{FF}",
    ] {
        let text = piece.repeat(BYTES / piece.len());
        for content in [false, true] {
            for shorten in [Shorten::Cut, Shorten::Vowels] {
                let options = SlugOptions {
                    content,
                    shorten,
                    symbols: true,
                    numbers: Numbers::All,
                    ..SlugOptions::default()
                };
                maker.slug(text.as_bytes(), &options, &dictionary);
            }
        }
    }
}
