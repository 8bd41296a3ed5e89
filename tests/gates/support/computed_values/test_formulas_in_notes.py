"""The note beside a computed value of an answer shows the formula of the script that computed it.

    = sum(fees), from 3 rows of /stock.csv, lines 4, 9, 12

A person checks the value by it.
"""

from __future__ import annotations

from controlplane.gates.support.sources import UNKNOWN_NUMBERS, LineNumbers, Source
from controlplane.gates.support.support_texts import support_text
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial import ScriptRun
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
