"""The values that a text states, each in one canonical form whatever its spelling.

`written_values("due 12. März 2026: 1.250,50 €")` finds the date `2026-03-12` and the number
`1250.5` with the unit `EUR`. The gates compare the values of an answer with those of files by
these forms.
"""

from __future__ import annotations

import pytest

from controlplane.gates.values.addresses.web_addresses import mailbox_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values
from tests.support.executed_work import assert_linear


def only_value(text: str) -> WrittenValue:
    """Return the one value of a text."""
    values = written_values(text)
    assert len(values) == 1, values
    return values[0]


class TestNumbers:
    """A number has one amount and unit, whatever its spelling.

    `canonical` has the number in one notation, and `unit` its unit by one name: `1.250,50 €` is
    1250.5 EUR. Texts have the signs and number words of many languages.
    """

    @pytest.mark.parametrize(
        ("text", "canonical", "unit"),
        [
            # Amounts of money
            ("1.250,50 €", "1250.5", "EUR"),
            ("EUR 1,250.5", "1250.5", "EUR"),
            ("１２５０.５０ euros", "1250.5", "EUR"),
            ("48 350,00 zł", "48350", "PLN"),
            ("6,189万9,000円", "61899000", "JPY"),
            ("2.4億円", "240000000", "JPY"),
            ("三百二十円", "320", "JPY"),
            ("3만 5천 원", "35000", "KRW"),
            ("1.3 million dollars", "1300000", "$"),
            ("2,5 Mio. Euro", "2500000", "EUR"),
            # Durations and other quantities
            ("3½ hours", "3.5", "h"),
            ("3 1/2 h", "3.5", "h"),
            ("3.5 Stunden", "3.5", "h"),
            ("**3** hours", "3", "h"),
            ("18時間", "18", "h"),
            ("90min", "90", "min"),
            ("5 m³", "5", "m3"),
            ("5 cubic metres", "5", "m3"),
            ("512Mi", "512", "MiB"),
            ("−5 °C", "-5", "°C"),
            ("12,5\u202f%", "12.5", "%"),
            # Numbers without a unit
            ("13th", "13", ""),
            ("٣٫٥", "3.5", ""),  # Arabic digits
            ("令和8年", "2026", ""),  # a year of a Japanese era
        ],
    )
    def test_a_number_has_one_amount_and_unit_in_every_spelling(
        self, text: str, canonical: str, unit: str
    ) -> None:
        """`1.250,50 €` and `EUR 1,250.5` are the same amount, so an answer may use either."""
        value = only_value(text)

        assert value.kind == Kind.NUMBER
        assert value.canonical == canonical
        assert value.unit == unit


class TestOtherKindsOfValues:
    """Dates, times, ids and addresses have one canonical form each.

    `12. März 2026` and `20260312` are the same date, so an answer may use either. `kind` says
    what a value is, and `canonical` is its one form.
    """

    @pytest.mark.parametrize(
        ("text", "kind", "canonical"),
        [
            # Dates and months
            ("12 March 2026", Kind.DATE, "2026-03-12"),
            ("12. März 2026", Kind.DATE, "2026-03-12"),
            ("March 12th, 2026", Kind.DATE, "2026-03-12"),
            ("20260312", Kind.DATE, "2026-03-12"),
            (
                "2026\u201103\u201112",
                Kind.DATE,
                "2026-03-12",
            ),  # hyphens that do not break
            ("令和8年3月12日", Kind.DATE, "2026-03-12"),
            ("11.11.", Kind.DATE, "--11-11"),  # a day without a year
            ("4 May", Kind.DATE, "--05-04"),
            ("March 2026", Kind.MONTH, "2026-03"),
            ("2026-03", Kind.MONTH, "2026-03"),
            # Times of day
            ("5:10 pm", Kind.TIME, "17:10"),
            ("kl. 11.30", Kind.TIME, "11:30"),
            ("godz. 9.00", Kind.TIME, "09:00"),
            ("17h10", Kind.TIME, "17:10"),
            ("午後2時30分", Kind.TIME, "14:30"),
            # Ids and versions
            ("INV-2026_17", Kind.ID, "inv-2026-17"),
            ("INV-9999の", Kind.ID, "inv-9999"),
            ("FB-1934-02", Kind.ID, "fb-1934-02"),
            ("3.1.0", Kind.ID, "3.1.0"),
            # Addresses, accounts and telephone numbers
            ("https://Bücher.example:443/a/", Kind.URL, "xn--bcher-kva.example/a"),
            ("Ada.Byron+x@Example.ORG", Kind.MAIL, "ada.byron+x@example.org"),
            ("DE89 3704 0044 0532 0130 00", Kind.IBAN, "DE89370400440532013000"),
            ("+49 (0)30 123-4567", Kind.TELEPHONE, "+49301234567"),
            ("0049301234567", Kind.TELEPHONE, "+49301234567"),
            ("030 / 123 4567", Kind.TELEPHONE, "0301234567"),
        ],
    )
    def test_dates_times_ids_and_addresses_have_one_canonical_form(
        self, text: str, kind: Kind, canonical: str
    ) -> None:
        value = only_value(text)

        assert value.kind == kind
        assert value.canonical == canonical


class TestAmbiguousValues:
    """A value that can be read in two ways has both readings.

    `1.199 kg` is 1199 kg in a German text, and 1.199 kg in an English one. `canonical` is the
    first reading, `other_canonical` the second; it is empty if the text leaves only one.
    """

    @pytest.mark.parametrize(
        ("text", "first_reading", "other_reading"),
        [
            pytest.param(
                "1.199 kg", "1199", "1.199", id="mark of thousands or decimals"
            ),
            pytest.param(
                "03/04/2026", "2026-04-03", "2026-03-04", id="day or month comes first"
            ),
        ],
    )
    def test_an_ambiguous_value_has_both_readings(
        self, text: str, first_reading: str, other_reading: str
    ) -> None:
        """There is no sign of the language in either text."""
        value = only_value(text)

        assert value.canonical == first_reading
        assert value.other_canonical == other_reading

    @pytest.mark.parametrize(
        ("text", "reading"),
        [
            pytest.param("1.199 kg statt 3,5 kg", "1199", id="beside a decimal comma"),
            pytest.param("1.199 kg, not 3.5 kg", "1.199", id="beside a decimal point"),
            pytest.param('{"weight": 1.199}', "1.199", id="in JSON"),
            pytest.param(
                "Der Wagen ist 1.199 kg schwer und die Waage ist neu",
                "1199",
                id="in German",
            ),
        ],
    )
    def test_other_numbers_and_the_language_of_a_text_decide_between_readings(
        self, text: str, reading: str
    ) -> None:
        """`1.199` alone could be read in two ways. Here the text around it leaves only one, so the
        value has no other canonical form."""
        weight, *_ = written_values(text, kinds=[Kind.NUMBER])

        assert weight.canonical == reading
        assert weight.other_canonical == ""


class TestRanges:
    """Both ends of a range have the unit, month and year that stand behind the second."""

    def test_both_ends_of_a_range_have_its_unit(self) -> None:
        """Both numbers are percentages, though only the second one has the sign behind it."""
        low, high = written_values("10–12 %")

        assert low.canonical == "10"
        assert low.unit == "%"
        assert high.canonical == "12"
        assert high.unit == "%"

    def test_both_ends_of_a_range_have_its_month_and_year(self) -> None:
        """Both days are in May 2026, though only the second one has month and year behind it."""
        first_day, last_day = written_values("13 to 27 May 2026")

        assert first_day.canonical == "2026-05-13"
        assert last_day.canonical == "2026-05-27"


class TestPlacesOfValues:
    """A value keeps its text, and the offsets where it stands.

    An answer is shown with a footnote behind each value, so the place has to be exact.
    """

    def test_offsets_fit_the_text_as_it_was_passed(self) -> None:
        """Values are read in a normalized copy, in which this text is longer or shorter: the
        zero-width blank `\u200b` is left out, and `㎡` becomes `m2`. The offsets are those in the
        text itself."""
        text = "Es kostet\u200b １２ ㎡ à 3½\u00a0€ (e\u0301)."

        area, price = written_values(text)

        assert area.text == "１２"
        assert text[area.start : area.end] == "１２"
        assert price.text == "3½"
        assert text[price.start : price.end] == "3½"

    def test_a_citation_mark_may_stand_between_number_and_unit(self) -> None:
        """Answers are shown with footnotes such as `[4]`, which are not part of a value."""
        duration, *_ = written_values("It takes 3 [4] hours.")

        assert duration.kind == Kind.NUMBER
        assert duration.canonical == "3"
        assert duration.unit == "h"

    def test_a_number_behind_a_key_with_a_measure_keeps_its_text_and_offsets(
        self,
    ) -> None:
        """The key `below_20_kg` is read as an id and also as the weight 20 kg. The value that
        follows it has its own text and offsets nevertheless."""
        text = "below_20_kg: 185.00 EUR"

        *_, price = written_values(text)

        assert price.canonical == "185"
        assert price.unit == "EUR"
        assert price.text == "185.00"
        assert text[price.start : price.end] == "185.00"


class TestLongNumbers:
    """A number may have thousands of digits."""

    def test_a_number_of_thousands_of_digits_is_read(self) -> None:
        """Python refuses to convert so long a number to an integer."""
        digits = "9" * 5_000

        assert only_value(digits).canonical == digits


class TestMailboxes:
    """Addresses of one mailbox are compared as one."""

    def test_a_mailbox_has_no_dots_and_tags(self) -> None:
        """Mail to `ada.byron+x` arrives in the same mailbox as mail to `adabyron`."""
        assert mailbox_of("ada.byron+x@example.org") == "adabyron@example.org"


class TestRepeatedPieces:
    """A text of one repeated piece is read in linear time.

    A text such as `7 7 7 7 …` has a possible beginning of a value at each place. A pattern that
    looked for the rest of a value behind each would do quadratic work.
    """

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
    def test_reading_a_text_of_one_repeated_piece_is_linear_work(
        self, piece: str
    ) -> None:
        """A pattern that looked for the rest of a value behind every piece would do quadratic
        work."""
        assert_linear(lambda piece_count: written_values(piece * piece_count), 500)
