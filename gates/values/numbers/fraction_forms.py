"""Reads numbers with fractions: `3½`, `½`, `3 1/2`."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from controlplane.gates.values.numbers.number_values import number_value
from controlplane.gates.values.numbers.numerals import (
    Numeral,
    fraction_of_sign,
    with_fraction,
)
from controlplane.gates.values.spans import Span
from controlplane.gates.values.value_forms import Form
from controlplane.gates.values.value_kinds import Kind, WrittenValue

_FRACTION: Final = r"(?:(?P<whole>\d{1,9}) ?)?[¼½¾⅐-⅞]"
"""`3½`, `3 ½`, `½`"""
_MIXED_FRACTION: Final = (
    r"(?P<whole>\d{1,9})[ \x{a0}-](?P<numerator>[1-7])/(?P<denominator>[2-8])"
)
"""`3 1/2`, `3-1/2`"""


def read_fraction(span: Span) -> list[WrittenValue]:
    """Read a number with a fraction, or a fraction's sign alone: `3 1/2` -> 3.5, `½` -> 0.5."""
    if span.part("denominator"):
        fraction = Fraction(int(span.part("numerator")), int(span.part("denominator")))
    else:
        fraction = fraction_of_sign(span.written[-1])  # the `½` of `3½`
    whole = Numeral(span.part("whole") or "0")
    return [number_value(span, with_fraction(whole, fraction), span.end)]


# A match counts only if no letter or digit touches it (`is_alone`), and if no mark joins it to
# a digit (`joining_marks`): `3 1/2` is not read in `3 1/2/26`.

MIXED_FRACTIONS: Final = Form(
    Kind.NUMBER, _MIXED_FRACTION, read_fraction, is_alone=True, joining_marks="/.,"
)
FRACTIONS: Final = Form(Kind.NUMBER, _FRACTION, read_fraction, is_alone=True)
