"""Values of an answer are looked up in long texts, and may be long themselves.

A log may have 20,000 lines, and an answer a number of 5,000 digits. Each value is marked: as
"found" if the text states it, or else as "unverified".
"""

from __future__ import annotations

from controlplane.gates.support.sources import Source
from controlplane.gates.support.support_texts import unverified_in
from controlplane.gates.support.value_support import ValueMarker


def test_a_value_is_looked_up_in_long_files() -> None:
    """The file has 20,000 lines such as `00017 10:17 took 999 ms`. The answer has two of their
    values, and the number 50,999, which is in none."""
    lines = [f"{n:05d} 10:{n % 60:02d} took 999 ms" for n in range(20_000)]
    marker = ValueMarker([Source("/app.log", "\n".join(lines))])

    marks = marker.marks("999 ms, 50,999 and 10:17.")

    assert [mark.support for mark in marks] == ["found", "unverified", "found"]


def test_a_number_of_thousands_of_digits_is_marked() -> None:
    """Python refuses to convert so long a number to an integer."""
    number = "9" * 5_000

    marks = ValueMarker([Source("/a.txt", "7\n")]).marks(f"It is {number}")

    assert unverified_in(marks) == [number]
