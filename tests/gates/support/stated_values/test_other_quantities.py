"""A text with a number that is only similar to that of an answer does not state it.

A value of an answer is supported if a text that the agent read states it. "45 seats" does not state
the answer "45 %", and "weight 1.199 kg" not "1199 kg".
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.answer_values import values_reported


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        # The same number with another unit, or with none
        ("2 GB", "2 GiB"),
        ("27 days", "portes_eur: 27.15"),  # 27 euros and 15 cents
        ("45 %", "45 seats"),
        ("2 months", "2 weeks"),
        ("90 km", "speed 90 km/h"),
        ("5 °C", "-5 °C"),
        ("28 g", "sample;weight_g;share\nB-1;38,4;1,28"),  # the share is 1.28
        ("47,315 EUR", "year,revenue_usd\n2025,47315"),
        # The same quantity, if the number of the text had the right unit
        ("2048 MiB", "There are 2 doors."),  # 2048 MiB are 2 GiB
        ("45000 g", "Room 7 has 45 seats."),  # 45000 g are 45 kg
        ("2700 minutes", "Room 7 has 45 seats."),  # 2700 minutes are 45 hours
        # A number of another size
        ("120 EUR", "121 EUR"),
        ("47,300 EUR", "47315 EUR"),
        ("47,400 EUR", "47315 EUR"),
        ("3.3 MW", "rated 3450 kW"),
        ("1199 kg", "weight 1.199 kg"),
        ("47,315 thousand EUR", "47,315 EUR"),
        ("12.5 million", "Thefts [in thousands]\n2009 12.5"),
        (
            "It was 11,453 thousand of the total",
            "2010 11453",
        ),  # 11 million, not 11 thousand
        ("1.5 billion EUR", "1.5 million EUR"),
        ("30円", "費用は3万円"),  # 30 yen, 30,000 yen
    ],
)
def test_a_text_with_a_similar_value_does_not_state_it(answer: str, text: str) -> None:
    stated_values = values_reported(answer, text)

    assert stated_values == []
