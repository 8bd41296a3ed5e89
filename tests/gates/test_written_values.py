"""The values that a text states, in every spelling, and their canonical forms."""

import time

import pytest

from controlplane.gates.values.addresses.web_addresses import mailbox_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values


def only_value(text: str) -> WrittenValue:
    values = written_values(text)
    assert len(values) == 1, values
    return values[0]


@pytest.mark.parametrize(
    ("text", "canonical", "unit"),
    [
        ("1.250,50 €", "1250.5", "EUR"),
        ("EUR 1,250.5", "1250.5", "EUR"),
        ("１２５０.５０ euros", "1250.5", "EUR"),
        ("48 350,00 zł", "48350", "PLN"),
        ("6,189万9,000円", "61899000", "JPY"),
        ("2.4億円", "240000000", "JPY"),
        ("3만 5천 원", "35000", "KRW"),
        ("三百二十円", "320", "JPY"),
        ("3½ hours", "3.5", "h"),
        ("3 1/2 h", "3.5", "h"),
        ("3.5 Stunden", "3.5", "h"),
        ("18時間", "18", "h"),
        ("13th", "13", ""),
        ("5 m³", "5", "m3"),
        ("5 cubic metres", "5", "m3"),
        ("**3** hours", "3", "h"),
        ("90min", "90", "min"),
        ("512Mi", "512", "MiB"),
        ("−5 °C", "-5", "°C"),
        ("12,5\u202f%", "12.5", "%"),
        ("1.3 million dollars", "1300000", "$"),
        ("2,5 Mio. Euro", "2500000", "EUR"),
        ("令和8年", "2026", ""),
        ("٣٫٥", "3.5", ""),
    ],
)
def test_a_number_has_one_amount_and_unit_in_every_spelling(
    text: str, canonical: str, unit: str
) -> None:
    value = only_value(text)
    assert (value.kind, value.canonical, value.unit) == (Kind.NUMBER, canonical, unit)


@pytest.mark.parametrize(
    ("text", "kind", "canonical"),
    [
        ("12 March 2026", Kind.DATE, "2026-03-12"),
        ("12. März 2026", Kind.DATE, "2026-03-12"),
        ("March 12th, 2026", Kind.DATE, "2026-03-12"),
        ("20260312", Kind.DATE, "2026-03-12"),
        ("2026\u201103\u201112", Kind.DATE, "2026-03-12"),
        ("令和8年3月12日", Kind.DATE, "2026-03-12"),
        ("11.11.", Kind.DATE, "--11-11"),
        ("4 May", Kind.DATE, "--05-04"),
        ("March 2026", Kind.MONTH, "2026-03"),
        ("2026-03", Kind.MONTH, "2026-03"),
        ("5:10 pm", Kind.TIME, "17:10"),
        ("kl. 11.30", Kind.TIME, "11:30"),
        ("godz. 9.00", Kind.TIME, "09:00"),
        ("17h10", Kind.TIME, "17:10"),
        ("午後2時30分", Kind.TIME, "14:30"),
        ("INV-2026_17", Kind.ID, "inv-2026-17"),
        ("INV-9999の", Kind.ID, "inv-9999"),
        ("FB-1934-02", Kind.ID, "fb-1934-02"),
        ("3.1.0", Kind.ID, "3.1.0"),
        ("https://Bücher.example:443/a/", Kind.URL, "xn--bcher-kva.example/a"),
        ("Ada.Byron+x@Example.ORG", Kind.MAIL, "ada.byron+x@example.org"),
        ("DE89 3704 0044 0532 0130 00", Kind.IBAN, "DE89370400440532013000"),
        ("+49 (0)30 123-4567", Kind.TELEPHONE, "+49301234567"),
        ("0049301234567", Kind.TELEPHONE, "+49301234567"),
        ("030 / 123 4567", Kind.TELEPHONE, "0301234567"),
    ],
)
def test_dates_times_ids_and_addresses_have_one_canonical_form(
    text: str, kind: Kind, canonical: str
) -> None:
    value = only_value(text)
    assert (value.kind, value.canonical) == (kind, canonical)


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("1.199 kg", "1199", "1.199"),
        ("03/04/2026", "2026-04-03", "2026-03-04"),
    ],
)
def test_a_value_that_can_be_read_in_two_ways_has_both_readings(
    text: str, first: str, second: str
) -> None:
    value = only_value(text)
    assert (value.canonical, value.other_canonical) == (first, second)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("1.199 kg statt 3,5 kg", "1199"),
        ("1.199 kg, not 3.5 kg", "1.199"),
        ('{"weight": 1.199}', "1.199"),
        ("Der Wagen ist 1.199 kg schwer und die Waage ist neu", "1199"),
    ],
)
def test_other_numbers_and_the_language_of_a_text_decide_between_readings(
    text: str, canonical: str
) -> None:
    value = written_values(text, kinds=[Kind.NUMBER])[0]
    assert (value.canonical, value.other_canonical) == (canonical, "")


def test_a_range_gives_its_unit_month_and_year_to_both_ends() -> None:
    shares = written_values("10–12 %")
    assert [(value.canonical, value.unit) for value in shares] == [
        ("10", "%"),
        ("12", "%"),
    ]
    days = written_values("13 to 27 May 2026")
    assert [value.canonical for value in days] == ["2026-05-13", "2026-05-27"]


def test_offsets_are_those_of_the_text_as_it_was_given() -> None:
    text = "Es kostet\u200b １２ ㎡ à 3½\u00a0€ (e\u0301)."
    for value in written_values(text):
        assert text[value.start : value.end] == value.text

    assert [value.text for value in written_values(text)] == ["１２", "3½"]


def test_a_citation_mark_between_number_and_unit_is_no_part_of_the_text() -> None:
    assert written_values("It takes 3 [4] hours.")[0].key == (Kind.NUMBER, "3", "h")


def test_digits_of_any_number_are_read() -> None:
    assert only_value("9" * 5_000).canonical == "9" * 5_000


def test_a_mailbox_has_no_dots_and_tags() -> None:
    assert mailbox_of("ada.byron+x@example.org") == "adabyron@example.org"


@pytest.mark.parametrize(
    "piece",
    [
        "7 ",
        "2031-05-04 ",
        "a1-",
        '"',
        "1.",
        "+31 20 ",
        "„x",
        "10:00 ",
        "May 4, ",
        "½",
        "万",
        "１",
        "[4]",
    ],
)
def test_hostile_texts_are_read_in_linear_time(piece: str) -> None:
    written_values(piece)
    started = time.process_time()
    short = len(written_values(piece * (20_000 // len(piece))))
    short_s = time.process_time() - started
    started = time.process_time()
    long = len(written_values(piece * (200_000 // len(piece))))
    long_s = time.process_time() - started

    assert short <= long
    assert long_s < 40 * short_s + 1  # ten times the text, with room for a busy machine


def test_a_number_behind_a_key_with_a_measure_keeps_its_text_and_place() -> None:
    text = "below_20_kg: 185.00 EUR"
    price = written_values(text)[-1]

    assert (price.canonical, price.unit) == ("185", "EUR")
    assert text[price.start : price.end] == price.text == "185.00"
