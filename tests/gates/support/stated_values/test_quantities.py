"""A text states a number of an answer with its unit, whatever its spelling there.

A value of an answer is supported if a text that the agent read states it. "rated 3450 kW" states
the answer "3.45 MW", and "10–12 % of all" states "10-12 %".
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.answer_values import answer_values, values_reported


@pytest.mark.parametrize(
    ("answer", "text"),
    [
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
    ],
)
def test_a_value_is_stated_in_any_spelling(answer: str, text: str) -> None:
    values = [value.text for value in answer_values(answer)]

    stated_values = values_reported(answer, text)

    assert values != []
    assert stated_values == values
