"""Values of an answer are looked up in few of many lines that a script printed.

The gates look for each value of an answer in what a script printed, and mark it as unverified if
they do not find it. To read the values of all of 9,000 lines would take too long.
"""

from __future__ import annotations

from typing import Any

import pytest

from controlplane.gates.support import sources as line_values
from controlplane.gates.support.matching.line_search import COST_OF_READING, MAX_LINES
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial import ScriptRun
from controlplane.gates.values.spans import WrittenValue
from controlplane.gates.values.written_values import written_values

SCRIPT = "for row in harness.read('/rows.csv').content.splitlines():\n    print(row)"


def test_few_of_many_printed_lines_are_read_for_the_values_of_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """None of the lines states one of the hundred values of the answer."""
    read_lines: list[str] = []

    def recorded_written_values(line: str, **options: Any) -> list[WrittenValue]:
        read_lines.append(line)
        return written_values(line, **options)

    monkeypatch.setattr(line_values, "written_values", recorded_written_values)
    printed_lines = [
        f"row {n}: {n % 97} units on 2031-05-{n % 28 + 1:02d}" for n in range(9_000)
    ]
    run = ScriptRun(SCRIPT, "\n".join(printed_lines))
    answer = ", ".join(f"{n} units" for n in range(5_000, 5_100))

    marks = ValueMarker(sources=[], script_runs=[run]).marks(answer)

    assert {mark.support for mark in marks} == {"unverified"}
    # The budget of an answer is 30,000, and to read the values of one line costs 10 of it.
    assert MAX_LINES / COST_OF_READING == 3_000
    assert 0 < len(read_lines) <= 3_000
