"""The note beside a computed value says how it was computed, and from which files or rows.

    = sum(fees), from 3 rows of /stock.csv, lines 4, 9, 12

A person checks the value by it.
"""

from __future__ import annotations

import re

from controlplane.gates.support.sources.places import UNKNOWN_NUMBERS, LineNumbers
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.support_texts import support_text
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial.script_runs import ScriptRun
from tests.gates.support.scripts_that_read import mark_after_script


def test_a_note_names_the_rows_of_a_table() -> None:
    """A query has found three rows of the table, in its lines 4, 9 and 12."""
    run = ScriptRun(
        "fees = harness.table('/stock.csv', where=\"kind = 'a'\").rows\n"
        "print(sum(fees))",
        printed="1070\n",
    )
    heading_and_rows = Source(
        "/stock.csv",
        "item,kind,fee\nx,a,300\ny,a,470\nz,a,300",
        LineNumbers((1, 4, 9, 12)),  # The heading is in line 1.
    )
    marker = ValueMarker([heading_and_rows], script_runs=[run])

    (mark,) = marker.marks("All cost 1,070 EUR.")

    note = support_text(mark)
    assert note == "= sum(fees), from 3 rows of /stock.csv, lines 4, 9, 12"


def test_a_note_shows_how_a_printed_variable_was_computed() -> None:
    """It does not show the text in which the variable was printed."""
    script = """
fees = harness.read("/fees.txt").content.split()
total = sum(int(fee) for fee in fees)
print(f"{total:,} in all")
"""

    mark = mark_after_script(
        script, files={"/fees.txt": "300\n470\n300\n"}, answer="All cost 1,070 EUR."
    )

    note = support_text(mark)
    assert note == "= sum((int(fee) for fee in fees)), from /fees.txt"


def test_a_note_shows_a_query_whose_result_is_the_number_itself() -> None:
    """No line of the file has the sum, which the query has computed."""
    run = ScriptRun(
        "print(harness.table('/loans.csv', columns='sum(fee) s').rows)",
        printed="1070\n",
    )
    query_result = Source("/loans.csv", "s\n1070", UNKNOWN_NUMBERS)
    marker = ValueMarker([], script_runs=[run], query_results=[query_result])

    (mark,) = marker.marks("All cost 1,070 EUR.")

    assert support_text(mark) == "= harness.table('/loans.csv', columns='sum(fee) s')"


def test_a_note_names_files_in_the_same_order_in_each_run() -> None:
    """What five files state is added to lists of a sixth one, so the sum depends on all.

    If the note took the files from a Python set, their order would differ from process to process.
    """
    # The script is only analysed here, and not run.
    run = ScriptRun(
        """\
regions = harness.read('/regions.json').json()
north = regions['north']
north.append(harness.read('/north.csv').content)
south = regions['south']
south.append(harness.read('/south.csv').content)
east = regions['east']
east.append(harness.read('/east.csv').content)
west = regions['west']
west.append(harness.read('/west.csv').content)
hills = regions['hills']
hills.append(harness.read('/hills.csv').content)
print(sum(regions))
""",
        printed="1070\n",
    )

    (mark,) = ValueMarker([], script_runs=[run]).marks("All cost 1,070 EUR.")

    # Five in reverse alphabetical order, and then the one that they are added to
    file_names = re.findall(r"/(\w+)\.", mark.note)
    assert file_names == ["west", "south", "north", "hills", "east", "regions"]
