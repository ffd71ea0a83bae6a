//! KEYNS.SLUG: the examples of the specification, and its manners.

use keyns_testkit::{Server, Value};

#[test]
fn every_example_has_its_slug() {
    let server = Server::start();
    let mut client = server.client();
    let mut check = |text: &str, options: &str, expected: &str| {
        let mut args = vec!["KEYNS.SLUG", text];
        args.extend(options.split_whitespace());
        assert_eq!(client.call(&args), Value::bulk(expected), "{args:?}");
    };
    check(
        "Portfolio Management & Risk Assessment",
        "MAXLEN 64",
        "portfolio_management_risk_assessment",
    );
    check(
        "Portfolio Management & Risk Assessment Strategies",
        "",
        "portfolio_management_risk_asse",
    );
    check(
        "Diversifikation: Der Schlüssel zum Erfolg",
        "MAXLEN 64",
        "diversifikation_der_schluessel_zum_erfolg",
    );
    check(
        "Diversifikation: Der Schlüssel zum Erfolg",
        "",
        "diversifikation_der_schluessel",
    );
    check(
        "Value at Risk (VaR) Berechnungen",
        "MAXLEN 64",
        "value_at_risk_var_berechnungen",
    );
    check("VaR Berechnung", "MAXLEN 64", "value_at_risk_berechnung");
    check("ROI Analysis", "maxlen 64", "return_on_investment_analysis");
    check("API Documentation", "MAXLEN 64", "api_documentation");
    check(
        "Die Korrelation zwischen den Assets ist wichtig",
        "CONTENT MAXLEN 64",
        "korrelation_zwischen_assets_wichtig",
    );
    check(
        "Standard Deviation misst die Volatilität von Renditen.",
        "MAXLEN 64 content",
        "standard_deviation_misst_volatilitaet",
    );
    check(
        "Standard Deviation misst die Volatilität von Renditen.",
        "KEEPSTOP CONTENT MAXLEN 64",
        "standard_deviation_misst_die",
    );
    check(
        "Diversifikation ist der Grundstein erfolgreicher Investments.",
        "CONTENT KEEPSTOP MAXLEN 64",
        "diversifikation_ist_der_grundstein",
    );
    check(
        "portfolio management risk assessment strategies",
        "SHORTEN VOWELS MAXLEN 30",
        "portfolio_management_risk_asse",
    );
    check("5 Strategien", "", "fuenf_strategien");
    check(
        "2024 Analysis",
        "MAXLEN 64",
        "zweitausendvierundzwanzig_analysis",
    );
    check(
        "2024 Analysis",
        "LANG en MAXLEN 64",
        "two_thousand_twenty_four_analysis",
    );
    check("3D Druck", "", "drei_d_druck");
    check("101000", "NUMBERS ALL", "einhunderteintausend");
    check("1.000.000 Euro", "", "eine_million_euro");
    check("30 Tage", "", "dreissig_tage");
    check("1.000", "NUMBERS NONE", "n_1000");
    check("3,5", "NUMBERS NONE", "n_3_5");
    check("A & B < C", "SYMBOLS", "a_and_b_less_than_c");
    check("don't", "", "dont");
    check("U.S.", "", "us");
    check("VaR", "NOABBREV", "var");
    check("ROI VaR", "WORDS 2 CONTENT", "return_investment");
}

#[test]
fn a_text_without_a_slug_is_nil() {
    let server = Server::start();
    for mut client in [server.client(), server.client3()] {
        for text in [
            &b""[..],
            b" ",
            b"a",
            b"!?",
            b"\xff\xfe",
            b"\0",
            "🚀".as_bytes(),
        ] {
            assert_eq!(client.call(&[b"KEYNS.SLUG", text]), Value::Null, "{text:?}");
        }
    }
}

#[test]
fn mistakes_are_named() {
    let server = Server::start();
    let mut client = server.client();
    for (options, error) in [
        (
            "FOO",
            "ERR syntax error near 'FOO', expected CONTENT, WORDS, KEEPSTOP, LANG, NUMBERS, SYMBOLS, NOABBREV, MAXLEN or SHORTEN",
        ),
        (
            "CONTENT FOO",
            "ERR syntax error near 'FOO', expected WORDS, KEEPSTOP, LANG, NUMBERS, SYMBOLS, NOABBREV, MAXLEN or SHORTEN",
        ),
        ("WORDS", "ERR WORDS needs a value"),
        (
            "WORDS 0",
            "ERR WORDS must be an integer between 1 and 16, got '0'",
        ),
        (
            "WORDS 17",
            "ERR WORDS must be an integer between 1 and 16, got '17'",
        ),
        (
            "MAXLEN 1",
            "ERR MAXLEN must be an integer between 2 and 512, got '1'",
        ),
        (
            "MAXLEN -5",
            "ERR MAXLEN must be an integer between 2 and 512, got '-5'",
        ),
        (
            "MAXLEN x",
            "ERR MAXLEN must be an integer between 2 and 512, got 'x'",
        ),
        (
            "MAXLEN 030",
            "ERR MAXLEN must be an integer between 2 and 512, got '030'",
        ),
        (
            "MAXLEN 99999999999999999999",
            "ERR MAXLEN must be an integer between 2 and 512, got '99999999999999999999'",
        ),
        ("MAXLEN 30 maxlen 30", "ERR MAXLEN is given twice"),
        ("CONTENT CONTENT", "ERR CONTENT is given twice"),
        ("LANG fr", "ERR LANG must be de or en, got 'fr'"),
        (
            "NUMBERS SOME",
            "ERR NUMBERS must be LEADING, ALL or NONE, got 'SOME'",
        ),
        (
            "SHORTEN x",
            "ERR SHORTEN must be CUT, WORD or VOWELS, got 'x'",
        ),
    ] {
        let line = format!("KEYNS.SLUG text {options}");
        assert_eq!(client.run(&line), Value::Error(error.into()), "{line}");
    }
    let hostile = client.call(&[&b"KEYNS.SLUG"[..], b"text", b"\0\xff\r\n-OK"]);
    assert_eq!(
        hostile,
        Value::Error(r"ERR syntax error near '\x00\xff\r\n-OK', expected CONTENT, WORDS, KEEPSTOP, LANG, NUMBERS, SYMBOLS, NOABBREV, MAXLEN or SHORTEN".into())
    );
    let arity = client.run("KEYNS.SLUG").text().to_lowercase();
    assert_eq!(
        arity,
        "err wrong number of arguments for 'keyns.slug' command"
    );
}

#[test]
fn a_text_past_the_limit_is_refused_and_one_at_it_is_not() {
    let server = Server::start();
    let mut client = server.client();
    let text = "ab ".repeat(1 << 19);
    let (at, past) = text.as_bytes().split_at(1 << 20);
    assert!(!past.is_empty());
    assert!(!client.call(&[b"KEYNS.SLUG", at]).is_error());
    let error = client.call(&["KEYNS.SLUG", &text]).text();
    assert_eq!(
        error,
        "ERR text must be at most 1048576 bytes, got 1572864 (keyns.max-text-bytes)"
    );
    client.run("CONFIG SET keyns.max-text-bytes 2000000");
    assert!(!client.call(&["KEYNS.SLUG", &text]).is_error());
}
