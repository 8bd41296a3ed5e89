"""A number in a text has one amount and one unit, whatever its spelling.

`1.250,50 €` and `EUR 1,250.5` are the same amount, so the answer of an agent may use either. Texts
have the signs and number words of many languages.
"""

from __future__ import annotations

import pytest

from controlplane.gates.values.spans import Kind
from tests.gates.values.written_values.single_values import only_value


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
    text: str, canonical: str, unit: str
) -> None:
    value = only_value(text)

    assert value.kind == Kind.NUMBER
    assert value.canonical == canonical
    assert value.unit == unit


def test_a_number_of_thousands_of_digits_is_read() -> None:
    """Python refuses to convert so long a number to an integer."""
    digits = "9" * 5_000

    assert only_value(digits).canonical == digits
