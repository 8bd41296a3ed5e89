"""A value of an answer is marked `computed` if a script made it from what it read.

    fees = harness.read("/fees.txt").content.split()      # 300, 470 and 300
    print(sum(int(fee) for fee in fees))                  # 1070

No file states 1070, but the script has computed it: so "All cost 1,070 EUR." is supported.
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial.script_runs import ScriptRun
from tests.gates.support.scripts_that_read import mark_after_script

# The beginning of scripts
TOTAL = """
fees = harness.read("/fees.txt").content.split()
total = sum(int(fee) for fee in fees)
"""


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(TOTAL + "print(total)", id="sum"),
        pytest.param(TOTAL + "print(f'{total:,} in all')", id="formatted sum"),
        pytest.param(
            TOTAL + "print('=' * 20)\nprint(total)", id="below a line of signs"
        ),
        pytest.param(
            TOTAL + "for n in range(2):\n    print('=' * 20)\n    print(total)",
            id="in a loop",
        ),
        pytest.param(
            TOTAL
            + "def verify(sp):\n    return '1,070' in sp['answer']\n"
            + "print(total)",
            id="beside a function with the same number",
        ),
        pytest.param(
            TOTAL + "scratchpad['total'] = total", id="stored instead of printed"
        ),
        pytest.param("print(470 + 300 + 300)", id="numbers that files state"),
    ],
)
def test_a_value_computed_from_what_was_read_is_marked_so(script: str) -> None:
    mark = mark_after_script(
        script, files={"/fees.txt": "300\n470\n300\n"}, answer="All cost 1,070 EUR."
    )

    assert mark.support == "computed"


def test_a_sum_of_a_column_is_computed() -> None:
    script = """
import csv
rows = list(csv.DictReader(harness.read("/fees.csv").content.splitlines()))
print(sum(int(row["fee"]) for row in rows))
"""

    mark = mark_after_script(
        script,
        files={"/fees.csv": "loan,fee\nL-1,300\nL-2,470\nL-3,300\n"},
        answer="All cost 1,070 EUR.",
    )

    assert mark.support == "computed"


def test_a_count_is_computed_from_what_is_counted() -> None:
    """The number comes from the lines of the file, although the script only adds ones."""
    script = """
lines = harness.read("/long.md").content.splitlines()
n = 0
for line in lines:
    if line:
        n += 1
print(n)
"""

    mark = mark_after_script(
        script, files={"/long.md": "word\n" * 35}, answer="It has 35 lines."
    )

    assert mark.support == "computed"
    assert "/long.md" in mark.note


def test_a_sum_that_a_query_returned_is_computed() -> None:
    """`harness.table` makes an SQL query of a table. The script prints its result."""
    run = ScriptRun(
        "rows = harness.table('/fees.csv', columns='sum(fee) s').rows\nprint(rows)",
        printed="1070\n",
    )
    marker = ValueMarker(
        [Source("/fees.csv", "fee\n300\n470\n300\n")], script_runs=[run]
    )

    (mark,) = marker.marks("All cost 1,070 EUR.")

    assert mark.support == "computed"


def test_a_number_that_a_script_only_writes_down_is_not_computed() -> None:
    """No file states 535. `test_script_constants` has many more such scripts."""
    mark = mark_after_script(
        "print(535 + 535)",
        files={"/fees.txt": "300\n470\n300\n"},
        answer="All cost 1,070 EUR.",
    )

    assert mark.support == "unverified"
