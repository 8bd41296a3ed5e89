"""Values of a text: found in every format, and nothing else is taken for them."""

import time

import pytest

from gates.marks import values_reported
from gates.values import MAX_VALUES, readings, values_in


@pytest.mark.parametrize(
    ("texts", "kind", "key"),
    [
        (
            (
                *("2031-05-04", "on 2031-05-04T10:00Z", "04.05.2031", "4/5/2031", "4 May 2031", "4th of May, 2031"),
                *("May 4, 2031", "4. Mai 2031", "le 4 mai 2031", "4 de mayo de 2031", "4 maggio 2031", "4 mei 2031"),
            ),
            "date",
            "2031-05-04",
        ),
        (("13/05/2031", "05/13/2031"), "date", "2031-05-13"),
        (("1er juillet 2031", "1 July 2031"), "date", "2031-07-01"),
        (("4 juin 2031", "4 giugno 2031"), "date", "2031-06-04"),
        (("4 May", "May 4"), "date", "--05-04"),
        (("09:30", "9:30", "9h30", "9.30 Uhr", "9 h 30", "at 9:30 am", "At 9:30.", "08:15-09:30"), "time", "09:30"),
        (("1,199.00", "1199", "1'199", "1.199,00", "1 199", "1\u00a0199", "1199.00 EUR"), "number", "1199"),
        (("0.5", "0,50", "0.50"), "number", "5"),
        (("+31 20 555-0134", "+31-20-555-0134"), "id", "31205550134"),
        (("b-104", "B-104", "see b-104.", "(b-104)"), "id", "b-104"),
        (
            ('"no later  than noon"', "“No later than noon”", "«no later than noon»", "„no later than noon“"),
            "quotation",
            "nolaterthannoon",
        ),
    ],
)
def test_a_value_has_one_key_in_all_its_formats(texts: tuple[str, ...], kind: str, key: str) -> None:
    for text in texts:
        assert (kind, key) in {(value.kind, value.key) for value in values_in(text)}, text


@pytest.mark.parametrize(
    ("number", "amount"),
    [
        ("1,199.00", 1199),
        ("1.199,00", 1199),
        ("1'199", 1199),
        ("1,199", 1199),
        ("1.5", 1.5),
        ("1,5", 1.5),
        ("12,345,678", 12345678),
    ],
)
def test_an_amount_is_read_as_it_is_most_likely_meant(number: str, amount: float) -> None:
    assert readings(number)[0] == amount


@pytest.mark.parametrize(
    ("said", "text", "is_held"),
    [
        ("4 May 2031", "due 2031-05-04", True),
        ("4 May", "due 2031-05-04", True),
        ("2031-05-04", "every 4 May", True),
        ("04/05/2031", "due 2031-04-05", True),
        ("04.05.2031", "due 2031-04-05", False),
        ("5 May 2031", "due 2031-05-04", False),
        ("+31 20 555 0134", "phone: +31-20-5550134", True),
        ("b_104", "the book B-104", True),
        ("b-105", "the book B-104", False),
        ("3.45 MW", "rated 3450 kW", True),
        ("3.3 MW", "rated 3450 kW", False),
        ("15 %", "a share of 0.15", True),
        ("2 months", "2 weeks", False),
        ("47,315 EUR", "year,revenue_usd\n2025,47315", False),
        ("47,315 EUR", "year,revenue_eur\n2025,47315", True),
        ("47,300 EUR", "47315 EUR", True),
        ("47,400 EUR", "47315 EUR", False),
        ("47,315 thousand EUR", "47,315 EUR", False),
        ("1.3 million", "1,283,400", True),
        ("20.00 EUR", "(20:00)", False),
        ("23 items", "since 2023", False),
        ("14:00", "from 14:00 on", True),
        ("15:00", "from 14:00 on", False),
    ],
)
def test_a_text_states_a_value_in_any_format(said: str, text: str, is_held: bool) -> None:
    assert bool(values_reported(said, text)) is is_held


@pytest.mark.parametrize("piece", ["7 ", "2031-05-04 ", "a1-", '"', "1.", "+31 20 ", "„x", "10:00 ", "May 4, "])
def test_hostile_texts_take_bounded_time_and_give_so_many_values(piece: str) -> None:
    began = time.process_time()
    found = values_in(piece * (200_000 // len(piece)))
    values_reported("2031-05-05, 4711 EUR, b-105, 11:11", piece * (80_000 // len(piece)))
    assert time.process_time() - began < 1.5
    assert len(found) <= 6 * MAX_VALUES
