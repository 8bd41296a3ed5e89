"""Both ends of a range in a text have the unit, month and year that stand behind the second.

`10–12 %` has the values 10 % and 12 %.
"""

from __future__ import annotations

from controlplane.gates.values.written_values import written_values


def test_both_ends_of_a_range_have_its_unit() -> None:
    low, high = written_values("10–12 %")

    assert low.canonical == "10"
    assert low.unit == "%"
    assert high.canonical == "12"
    assert high.unit == "%"


def test_both_ends_of_a_range_have_its_month_and_year() -> None:
    first_day, last_day = written_values("13 to 27 May 2026")

    assert first_day.canonical == "2026-05-13"
    assert last_day.canonical == "2026-05-27"
