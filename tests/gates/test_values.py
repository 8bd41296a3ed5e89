"""Values of a text: found in every format, and nothing else is taken for them."""

import time

import pytest

from gates.marks import values_reported
from gates.values import MAX_VALUES, values_in


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
