//! Examples, the hostile ones included, and properties.

use proptest::prelude::*;

use super::decimal::Decimal;
use crate::api::quantity::*;

fn q(text: &str) -> Quantity {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Small numbers with any suffix, and anything made of a quantity's letters.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[+-]?[0-9]{1,4}(\\.[0-9]{0,3})?(n|u|m||k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|e[0-9]|E-[0-9])",
        "[+-]?[0-9]{1,30}(\\.[0-9]{0,20})?(m||M|Ki|Ei|e-?[0-9]{1,12})",
        "[-+0-9.eEinumkKMGTP ]{0,12}",
    ]
}

#[test]
fn milli_values() {
    let rows = [
        ("0", 0),
        ("1", 1_000),
        ("250m", 250),
        ("-5", -5_000),
        ("+5", 5_000),
        ("007", 7_000),
        (".5", 500),
        ("5.", 5_000),
        (".", 0),
        ("-.", 0),
        (" 1 ", 1_000),
        ("1e3", 1_000_000),
        ("1E3", 1_000_000),
        ("1E", 0),
        ("128Mi", 134_217_728_000),
        ("1.5Gi", 1_610_612_736_000),
        ("1.Ki", 1_024_000),
        ("99Ti", 108_851_651_149_824_000),
        // Rounded away from zero.
        ("100000001n", 101),
        ("-1n", -1),
        ("0.1n", 1),
        ("-0.1n", 1),
        ("1001u", 2),
        // Small ones wrap for some powers of ten and give 0 for the others.
        ("9300000000000000", -9_146_744_073_709_551_616),
        ("10P", 0),
        ("9300T", 0),
        ("9E", 0),
        ("1e19", 0),
        ("0e2147483647", 0),
        ("1e2147483647", 0),
        // Big ones wrap.
        ("12345678901234567890", 4_807_115_922_877_858_896),
        ("9223372036854775807m", i64::MAX),
        ("9223372036854775808m", i64::MIN),
        ("1000000000000000000e2147483647", 0),
        // Negative big ones wrap as nanos, and the remainder adds 1.
        ("-0.001500000000000000", 0),
        ("-0.002000000000000000", -2),
        ("-1000000000000000000000", -5_076_944_270_304),
        // The exponent loses its upper half.
        ("1e4294967296", 1_000),
        ("1e4294967293", 1),
        ("1e-9223372036854775808", 1_000),
        // Binary magnitudes are capped.
        ("9999999999999999999Ei", -1_000),
        ("1e-2147483648", 1),
    ];
    for (text, milli) in rows {
        assert_eq!(q(text).milli_value(), milli, "{text}");
    }
    assert_eq!(rows.len(), 42);
}

#[test]
fn nano_values() {
    let rows = [
        ("0", Some(0)),
        ("1", Some(1_000_000_000)),
        ("264285715n", Some(264_285_715)),
        ("128Mi", Some(134_217_728_000_000_000)),
        ("-5", Some(-5_000_000_000)),
        ("9223372036854775", Some(9_223_372_036_854_775_000_000_000)),
        // The controller reads other numbers.
        ("9300000000000000", None),
        ("9E", None),
        ("1e28", None),
        ("0e2147483647", None),
        ("12345678901234567890", None),
    ];
    for (text, nanos) in rows {
        assert_eq!(q(text).nano_value(), nanos, "{text}");
    }
    assert_eq!(rows.len(), 11);
}

#[test]
fn printing() {
    let rows = [
        // The text is regular and stays.
        ("2500m", "2500m"),
        ("100M", "100M"),
        ("1e3", "1e3"),
        ("1E3", "1E3"),
        ("1025Ki", "1025Ki"),
        ("1.500", "1.500"),
        ("+5", "+5"),
        ("007", "007"),
        ("67108864", "67108864"),
        (" 1 ", "1"),
        // It is not, and the canonical one takes its place.
        ("1000m", "1"),
        ("0.5", "500m"),
        ("1.5", "1500m"),
        ("0", "0"),
        ("-0", "0"),
        ("0Ki", "0"),
        ("+0.1", "100m"),
        ("5e1", "50"),
        ("1e19", "10e18"),
        ("5e-1", "500e-3"),
        ("1000e3", "1e6"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("1000Ki", "1000Ki"),
        ("8Ki", "8Ki"),
        ("-2048Ki", "-2Mi"),
        ("0.5Ki", "512"),
        ("0.9Ki", "921600m"),
        ("1.1Ki", "1126400m"),
        ("0.0001Ki", "102400u"),
        ("0.1n", "1n"),
        ("-0.1n", "-1n"),
        ("12345678901234567890", "12345678901234567890"),
        ("1000000000000000000000", "1"),
        ("12e21", "12e21"),
        ("1e-10", "1e-9"),
        ("100000000Ei", "9223372036854775807"),
    ];
    for (text, printed) in rows {
        assert_eq!(q(text).to_string(), printed, "{text}");
    }
    assert_eq!(rows.len(), 37);
}

#[test]
fn printing_of_computed_values() {
    let rows = [
        (755_093, Format::DecimalSi, "755093m"),
        (2_000_000, Format::DecimalSi, "2k"),
        (0, Format::BinarySi, "0"),
        (1_000_000, Format::BinarySi, "1k"),
        (-1_024_000, Format::BinarySi, "-1Ki"),
        (104_857_600_000, Format::BinarySi, "100Mi"),
        (104_857_600_333, Format::BinarySi, "104857600333m"),
        (104_857_600_000, Format::DecimalSi, "104857600"),
        (50_000, Format::DecimalExponent, "50"),
        (1, Format::DecimalExponent, "1e-3"),
        (i64::MIN, Format::DecimalSi, "-9223372036854775808m"),
    ];
    for (milli, format, printed) in rows {
        let quantity = Quantity::from_milli(milli, format);
        assert_eq!(quantity.to_string(), printed);
        assert_eq!(quantity.text(), printed);
        assert_eq!(quantity.milli_value(), milli);
    }
    assert_eq!(rows.len(), 11);
}

#[test]
fn refusals() {
    use ParseQuantityError::{Pattern, Suffix, TooLong};
    let long = "1".repeat(1025);
    let rows = [
        ("", Pattern),
        ("   ", Pattern),
        ("many", Pattern),
        ("-", Pattern),
        ("Ki", Pattern),
        ("e5", Pattern),
        ("1 Ki", Pattern),
        ("1.1.M", Pattern),
        ("1+1.0M", Pattern),
        ("0x10", Pattern),
        ("1_000", Pattern),
        ("NaN", Pattern),
        ("٣", Pattern),
        ("1i", Suffix),
        ("1Mm", Suffix),
        ("1K", Suffix),
        ("1e", Suffix),
        ("1e+", Suffix),
        ("1Ki5", Suffix),
        ("1+5", Suffix),
        ("1e9223372036854775808", Suffix),
        (&long, TooLong),
    ];
    for (text, error) in &rows {
        assert_eq!(text.parse::<Quantity>(), Err(error.clone()), "{text}");
    }
    assert_eq!(rows.len(), 22);
    assert_eq!(
        Pattern.to_string(),
        "quantities must match the regular expression \
         '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    );
    assert_eq!(Suffix.to_string(), "unable to parse quantity's suffix");
}

#[test]
fn floats() {
    let rows = [
        ("0.1", 0.1),
        ("100m", 100.0 * 0.001),
        ("9m", 9.0 * 0.001),
        ("36m", 36.0 * 0.001),
        ("5", 5.0),
        ("1Ki", 1024.0),
        ("-1.5", -1.5),
        ("1e400", f64::INFINITY),
        ("0.1000000000000000000", 1e8 * 1e-9),
        ("-0.1000000000000000000", -1e8 * 1e-9),
        ("1000000000000000000e400", f64::INFINITY),
    ];
    for (text, float) in rows {
        let actual = q(text).as_approximate_float();
        assert_eq!(actual.to_bits(), f64::to_bits(float), "{text}");
    }
    assert_eq!(rows.len(), 11);
    assert!(q("0e400").as_approximate_float().is_nan());
    let artefacts = (1..1000).filter(|k| {
        q(&format!("{k}m")).as_approximate_float().to_bits() != (f64::from(*k) / 1000.0).to_bits()
    });
    assert_eq!(
        artefacts.take(6).collect::<Vec<_>>(),
        [9, 13, 18, 26, 36, 43]
    );
}

#[test]
fn formats() {
    use Format::{BinarySi, DecimalExponent, DecimalSi};
    let rows = [
        ("1", DecimalSi),
        ("1m", DecimalSi),
        ("1E", DecimalSi),
        ("1E0", DecimalExponent),
        ("1Ki", BinarySi),
        ("0Ki", BinarySi),
        ("0.0Ki", BinarySi),
        ("0.1Ki", BinarySi),
        ("0.0001Ki", DecimalSi),
    ];
    for (text, format) in rows {
        assert_eq!(q(text).format(), format, "{text}");
    }
    assert_eq!(rows.len(), 9);
}

#[test]
fn sums() {
    let rows = [
        ("100m", "200m", "300m"),
        ("1", "1m", "1001m"),
        ("007", "0", "7"),
        ("0", "1Gi", "1Gi"),
        ("1Gi", "1G", "2073741824"),
        ("1G", "1Gi", "2073741824"),
        ("512Mi", "512Mi", "1Gi"),
        ("1e3", "500m", "1000500e-3"),
        ("1", "-1", "0"),
        ("999999999999999999", "1", "1E"),
        ("1E", "1n", "1000000000000000000000000001n"),
        ("9223372036854775807", "1", "9223372036854775808"),
        ("-10000000000000000000", "1", "-9999999999999999999"),
        ("10000000000000000000", "-10000000000000000000", "0"),
        ("8Ei", "8Ei", "18446744073709551614"),
        ("1e2147483647", "1", "10e2147483646"),
    ];
    for (one, two, sum) in rows {
        let actual = q(one).add(&q(two));
        assert_eq!(actual.to_string(), sum, "{one} + {two}");
    }
    assert_eq!(rows.len(), 16);
    // Small where 64 bits are enough, and so with the artefacts of small ones.
    assert_eq!(q("9P").add(&q("1P")).milli_value(), 0);
    assert_eq!(q("10P").add(&q("0")).milli_value(), 0);
    assert_eq!(
        q("1E").add(&q("1n")).milli_value(),
        3_875_820_019_684_212_737
    );
}

#[test]
fn comparisons() {
    use Ordering::{Equal, Greater, Less};
    let rows = [
        ("1", "1000m", Equal),
        ("1Ki", "1024", Equal),
        ("0", "-0", Equal),
        ("0e9", "0.00000000000000000000", Equal),
        ("999m", "1", Less),
        ("-2", "-1", Less),
        ("-1", "1n", Less),
        ("0", "1n", Less),
        ("0", "-1n", Greater),
        ("12", "2", Greater),
        ("1e2147483647", "9e2147483646", Greater),
        ("1e2147483647", "1000000000000000000e2147483647", Less),
    ];
    for (one, two, order) in rows {
        assert_eq!(q(one).cmp_value(&q(two)), order, "{one} and {two}");
        assert_eq!(
            q(two).cmp_value(&q(one)),
            order.reverse(),
            "{two} and {one}"
        );
    }
    assert_eq!(rows.len(), 12);
    assert_ne!(q("1"), q("1000m"));
    assert_eq!(q(" 1"), q("1"));
}

proptest! {
    #[test]
    fn nothing_panics(text in texts(), other in texts()) {
        if let (Ok(one), Ok(two)) = (text.parse::<Quantity>(), other.parse::<Quantity>()) {
            let sum = one.add(&two);
            prop_assert_eq!(sum.cmp_value(&two.add(&one)), Ordering::Equal);
            let _ = (sum.milli_value(), sum.as_approximate_float(), sum.to_string());
        }
    }

    #[test]
    fn a_computed_text_reads_back(milli in any::<i64>(), kind in 0..3usize) {
        let format = [Format::DecimalSi, Format::BinarySi, Format::DecimalExponent][kind];
        let quantity = Quantity::from_milli(milli, format);
        let read = q(quantity.text());
        prop_assert_eq!(read.cmp_value(&quantity), Ordering::Equal);
        prop_assert_eq!(read.to_string(), quantity.to_string());
    }

    #[test]
    fn printing_keeps_the_value(text in "[+-]?[0-9]{1,9}(\\.[0-9]{1,9})?(m||k|Ki|Mi|e-?[0-3])") {
        let quantity = q(&text);
        let printed = q(&quantity.to_string());
        prop_assert_eq!(printed.cmp_value(&quantity), Ordering::Equal);
        prop_assert_eq!(printed.to_string(), quantity.to_string());
    }

    #[test]
    fn decimals_add_like_integers(one: i64, two: i64, shift in 0..9u8) {
        let factor = 10i128.pow(shift.into());
        let (a, b) = (Decimal::from_integer(one, shift.into()), Decimal::from_integer(two, 0));
        let expected = i128::from(one) * factor + i128::from(two);
        let sum = a.add(&b);
        prop_assert_eq!(sum.is_negative(), expected < 0);
        prop_assert_eq!(i128::from(sum.low_bits(0)), (expected << 64) >> 64);
        prop_assert_eq!(a.cmp(&b), (i128::from(one) * factor).cmp(&i128::from(two)));
    }
}

#[test]
fn json_and_yaml() {
    let rows = [
        ("\"250m\"", "250m"),
        ("\" 1Gi \"", "1Gi"),
        ("2", "2"),
        ("-2", "-2"),
        ("0.5", "0.5"),
        ("-0.0", "-0"),
        ("1e30", "1e30"),
        ("0.0000001", "1e-7"),
        ("18446744073709551615", "18446744073709551615"),
    ];
    for (document, text) in rows {
        let json: Quantity = serde_json::from_str(document).unwrap();
        let yaml: Quantity = serde_yaml::from_str(document).unwrap();
        assert_eq!((json.text(), yaml.text()), (text, text), "{document}");
        assert_eq!(serde_json::to_value(&json).unwrap(), text);
    }
    assert_eq!(rows.len(), 9);
    let wide: Quantity = serde_yaml::from_str("-123456789012345678901234567890").unwrap();
    assert_eq!(wide.text(), "-123456789012345678901234567890");
}

#[test]
fn json_and_yaml_refusals() {
    let rows = [
        ("many", "string \"many\""),
        ("1K", "string \"1K\""),
        (".nan", "floating point `NaN`"),
        (".inf", "floating point `inf`"),
        ("[1]", "sequence"),
        ("true", "boolean `true`"),
        ("null", "unit value"),
    ];
    for (document, found) in rows {
        let error = serde_yaml::from_str::<Quantity>(document).unwrap_err();
        let text = format!("{found}, expected {QUANTITY}");
        assert!(error.to_string().contains(&text), "{document}: {error}");
    }
    assert_eq!(rows.len(), 7);
}
