"""A value of an answer is marked `computed` if a script made it from rows, lines or a query.

No file states 1070, but a script that has read the column 300, 470, 300 and printed its sum has
computed it. So "All cost 1,070 EUR." is supported.
"""

from __future__ import annotations

from controlplane.gates.support.sources import Source
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial import ScriptRun
from tests.gates.support.scripts_that_read import mark_after_script


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
