"""Values of an answer are looked up in long texts without reading all of them.

A log may have 20,000 lines, and an answer a number of 5,000 digits. To look for each value in each
line would take too long.
"""

from __future__ import annotations

from controlplane.gates.support.matching.line_budget import COST_OF_READING, MAX_LINES
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.support_texts import unverified_in
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial.script_runs import ScriptRun


def count_of_searched_lines(marker: ValueMarker) -> int:
    """Return the number of lines printed by scripts in which the marker has looked for values."""
    searched_count = 0
    # The marker keeps the output of each script, with the values of each line that it searched.
    for output in marker.computations.written.outputs:
        for source in output._sources.values():
            for line_index in range(len(source.lines)):
                if source.values.are_read(line_index):
                    searched_count += 1
    return searched_count


def test_a_value_is_looked_up_in_long_files() -> None:
    """The file has 20,000 lines such as `00017 10:17 took 999 ms`. The answer has two of their
    values, and the number 50,999, which is in none."""
    lines = [f"{n:05d} 10:{n % 60:02d} took 999 ms" for n in range(20_000)]
    marker = ValueMarker([Source("/app.log", "\n".join(lines))])

    marks = marker.marks("999 ms, 50,999 and 10:17.")

    assert [mark.support for mark in marks] == ["found", "unverified", "found"]


def test_few_of_many_printed_lines_are_searched_for_the_values_of_an_answer() -> None:
    """None of 9,000 printed lines states one of the hundred values. To search all takes too long."""
    script = (
        "for row in harness.read('/rows.csv').content.splitlines():\n    print(row)"
    )
    printed_lines = [
        f"row {n}: {n % 97} units on 2031-05-{n % 28 + 1:02d}" for n in range(9_000)
    ]
    run = ScriptRun(script, "\n".join(printed_lines))
    marker = ValueMarker(sources=[], script_runs=[run])
    answer = ", ".join(f"{n} units" for n in range(5_000, 5_100))

    marks = marker.marks(answer)

    assert {mark.support for mark in marks} == {"unverified"}
    # A line that is searched for the first time counts as ten of 30,000 lines.
    assert MAX_LINES / COST_OF_READING == 3_000
    assert count_of_searched_lines(marker) <= 3_000


def test_a_number_of_thousands_of_digits_is_marked() -> None:
    """Python refuses to convert so long a number to an integer."""
    number = "9" * 5_000

    marks = ValueMarker([Source("/a.txt", "7\n")]).marks(f"It is {number}")

    assert unverified_in(marks) == [number]
