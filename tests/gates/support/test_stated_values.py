"""Whether a text states a value of an answer: a number, date, time, id or address.

An answer may write a value in another way than the text that it comes from: `4 May 2031` for
`2031-05-04`. The text states it nevertheless. A similar value, such as `5 May 2031`, it does not
state.
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.answer_values import answer_values
from controlplane.gates.support.stated_values import values_reported
from controlplane.sandbox.interface import bounds
from tests.support.executed_work import assert_linear


class TestOtherSpellings:
    """A text states a value of an answer, whatever its spelling there.

    A value is a date, a time, a number with its unit, an id or an address. The answer `4 May
    2031` may come from a text with `2031-05-04`, in any of many languages.
    """

    @pytest.mark.parametrize(
        ("answer", "text"),
        [
            # Dates
            ("4 May 2031", "due 2031-05-04"),
            ("4 May", "due 2031-05-04"),
            ("04/05/2031", "due 2031-04-05"),
            ("2027-04-07", "20270407"),
            ("7 April 2027", "2027\u201104\u201107"),
            ("11 November", "Geschlossen am 11.11. und am 24.12."),
            ("March 2026", "paid 2026-03-12"),
            ("2026", "令和8年の報告"),
            ("15/11/2027", "El contrato vence el 15 de noviembre de 2027."),
            ("2026-05-11", "納期は2026年5月11日（月）です。"),
            ("July 4, 1776", "signed on 4th July, 1776"),
            # Times of day
            ("14:00", "from 14:00 on"),
            ("9:00", "otwarte od godz. 9.00"),
            ("11:30", "Møtet begynner kl. 11.30"),
            ("15:00 CEST", "starts at 13:00 UTC"),
            # Counts and quantities
            ("13th", "the 13 of them"),
            ("the 21st", "21 entries"),
            ("6.5450", "item,price\nscrew,6.545"),
            ("5 m³", "5 cubic metres"),
            ("3.5 hours", "3½ hours"),
            ("3 [4] hours", "It takes 3 hours."),
            ("38,4 g", "sample;weight_g;share\nB-1;38,4;1,28"),
            ("3.45 MW", "rated 3450 kW"),
            ("2048 MiB", "The disk has 2 GiB."),
            ("0.23 s", "latency p95: 230 ms"),
            ("−12.5 °C", "temp: -12.5 °C at noon"),
            # Percentages and multiples
            ("10-12 %", "10–12 % of all"),
            ("15 %", "a share of 15 percent"),
            ("1.3 million", "1,283,400"),
            ("3.4 million euros", "Sales (in million euros)\n2009 3.4"),
            ("12.5 thousand", "Thefts [in thousands]\n2009 12.5"),
            # Amounts of money
            ("47,315 EUR", "year,revenue_eur\n2025,47315"),
            ("39,99 EUR", "Entgelt 39,99 EUR/Monat"),
            ("EUR 1,299.00", "price_cents: 129900"),
            ("48 350 zł", "Razem: 48 350,00 zł"),
            ("500 SEK", "Pris: 500 kr"),
            ("61,899,000 yen", "6,189万9,000円"),
            ("238,000 円", "売上 (万円)\n23.8"),
            ("35,000元", "合同金额为人民币3.5万元,期限18个月。"),
            # Ids, versions and telephone numbers
            ("b_104", "the book B-104"),
            ("INV-9999", "請求書INV-9999の金額"),
            ("3.1.0", "python < '3.10'\nwerkzeug>=3.1.0,"),
            ("+49301234567", "Tel. +49 30 1234567"),
            ("+1 415 555 0134", "phone: +1 (415) 555-0134"),
        ],
    )
    def test_a_value_is_stated_in_any_spelling(self, answer: str, text: str) -> None:
        """The text, which the trial read, states every value of the answer in another spelling. So
        `values_reported` returns all values of the answer, as the answer spells them."""
        values = [value.text for value in answer_values(answer)]

        stated_values = values_reported(answer, text)

        assert values != []
        assert stated_values == values


class TestSimilarValues:
    """A text with a value that looks like the answer's, but is another, does not state it.

    The text may have another day, the same number with another unit, a number of another size, a
    part of a longer number, or another id.
    """

    @pytest.mark.parametrize(
        ("answer", "text"),
        [
            # Dates
            ("12 March 2026", "in 2026-03"),
            ("2031-05-04", "every 4 May"),
            ("5 May 2031", "due 2031-05-04"),
            ("2026", "令和9年の報告"),
            # Times of day
            ("9:00", "closes at 17:00"),
            ("17:10", "05:10"),
            ("15:00 CEST", "from 14:00 on"),
            ("15:00", "from 14:00 on"),
            ("10:00 CET", "10:00 JST"),
            ("18時間", "18:00に閉まる"),  # 18 hours
            ("20.00 EUR", "(20:00)"),
            # The same number with another unit, or with none
            ("2048 MiB", "There are 2 doors."),
            ("2 GB", "2 GiB"),
            ("45000 g", "Room 7 has 45 seats."),
            ("2700 minutes", "Room 7 has 45 seats."),
            ("27 days", "portes_eur: 27.15"),
            ("45 %", "45 seats"),
            ("2 months", "2 weeks"),
            ("90 km", "speed 90 km/h"),
            ("5 °C", "-5 °C"),
            ("28 g", "sample;weight_g;share\nB-1;38,4;1,28"),
            ("47,315 EUR", "year,revenue_usd\n2025,47315"),
            # A number of another size
            ("120 EUR", "121 EUR"),
            ("47,300 EUR", "47315 EUR"),
            ("47,400 EUR", "47315 EUR"),
            ("3.3 MW", "rated 3450 kW"),
            ("1199 kg", "weight 1.199 kg"),
            ("47,315 thousand EUR", "47,315 EUR"),
            ("12.5 million", "Thefts [in thousands]\n2009 12.5"),
            ("It was 11,453 thousand of the total", "2010 11453"),
            ("1.5 billion EUR", "1.5 million EUR"),
            ("30円", "費用は3万円"),  # 30 yen, 30,000 yen
            # A part of a longer number, id or version
            ("350 zł", "48 350,00 zł"),
            ("23 items", "since 2023"),
            ("1234567", "+49 30 1234567"),
            ("3.1.0", "310 ml, since 3.10, not 13.1.0 nor 3.1.0.2"),
            ("2.14", "v2.14.3"),
            # Another id
            ("9999", "INV-9998の"),
            ("FB-1934-02", "FA-1934-02"),
            ("b-105", "the book B-104"),
        ],
    )
    def test_a_text_with_a_similar_value_does_not_state_it(
        self, answer: str, text: str
    ) -> None:
        """The text has a value that looks like the answer's, but is another one. `values_reported`
        returns those values of the answer that the text states, which are none here."""
        stated_values = values_reported(answer, text)

        assert stated_values == []


REPEATED_PIECES = (
    "7 ",
    "2031-05-04 ",
    "a1-",
    '"',
    "1.",
    "+31 20 ",
    "„x",
    "10:00 ",
    "May 4, ",
)


class TestRepeatedPieces:
    """An answer or text of one repeated piece is read with bounded work.

    Texts come from anybody. One such as `7 7 7 7 …` or `1.1.1.1. …` has a possible beginning of
    a value at each place.
    """

    @pytest.mark.parametrize("piece", REPEATED_PIECES)
    def test_reading_and_searching_a_text_of_one_repeated_piece_is_linear_work(
        self, piece: str
    ) -> None:
        """The text is read as an answer, and it is searched for the values of another answer."""

        def read_and_search(piece_count: int) -> None:
            text = piece * piece_count
            answer_values(text)
            values_reported("2031-05-05, 4711 EUR, b-105, 11:11", text)

        assert_linear(read_and_search, 300)

    @pytest.mark.parametrize("piece", REPEATED_PIECES)
    def test_the_number_of_values_that_are_read_is_bounded(self, piece: str) -> None:
        """The answer has 200,000 characters. Of each form, such as a date in digits or an amount of
        money, at most `MOST_READ_VALUES` values are read."""
        form_count = 30
        long_answer = piece * (200_000 // len(piece))

        values = answer_values(long_answer)

        assert len(values) <= form_count * bounds.MOST_READ_VALUES
