"""Each value of an answer is marked with where it comes from, or as unverified.

A value counts if a text that was read states it, in any spelling, or rounded or converted, if the
answer or a script computes it from such values, or if the trial wrote it into a cited file. A
constant of a script counts for nothing, whatever way it takes. Footnotes and notes say where a
value was found, and how it was computed. Searching hostile texts is bounded work.
"""

from __future__ import annotations

import ast
import contextlib
import html
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from controlplane.gates.support.answer_values import answer_values, values_reported
from controlplane.gates.support.computations import traced
from controlplane.gates.support.marks import (
    Mark,
    TextFormat,
    footnoted,
    support_text,
    unverified_in,
)
from controlplane.gates.support.scripts import (
    Definitions,
    ScriptExpression,
    definitions_of,
)
from controlplane.gates.support.sources import (
    UNKNOWN_NUMBERS,
    LineNumbers,
    Place,
    Source,
)
from controlplane.gates.support.value_support import ValueMarker, marker_of
from controlplane.gates.trial import ScriptRun
from controlplane.sandbox.interface import bounds
from tests.gates.judged_scratchpads import CallsOfTrial
from tests.gates.support.scripted_answers import SHARED_QUESTIONS, unverified_in_answer
from tests.support.executed_work import assert_linear

# Scripts that read files, and how a value of the answer is then marked.
#
# mark_after_script(
#     'fees = harness.read("/fees.txt").content.split()\n'
#     'print(sum(int(fee) for fee in fees))',
#     files={"/fees.txt": "300 470 300"},
#     answer="All cost 1,070 EUR.",
# ).support  # "computed"


@dataclass
class FileText:
    """What `harness.read(path)` returns."""

    content: str


@dataclass
class ReadableFiles:
    """The object `harness` of a script, by which it reads files."""

    files: Mapping[str, str]

    def read(self, path: str) -> FileText:
        return FileText(self.files[path])

    def earlier(self) -> dict[str, int]:
        """Return what an earlier script kept: its own words, and not evidence."""
        return {"total": 1070}


@dataclass
class Console:
    """The object `console` of a script: `console.log("total:", 7)` prints."""

    log = staticmethod(print)


def run_script(script: str, files: Mapping[str, str]) -> ScriptRun:
    """Run a script that reads these files. Return it with what it printed and stored.

    `run_script("print(7)", files={}).printed` -> `"7\\n"`
    """
    scratchpad: dict[str, object] = {}
    names = {
        "harness": ReadableFiles(files),
        "scratchpad": scratchpad,
        "console": Console(),
    }
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(script, names)
    return ScriptRun(script, printed.getvalue(), scratchpad)


def mark_after_script(script: str, files: Mapping[str, str], answer: str) -> Mark:
    """Run a script that reads these files. Return the mark of the only value in the answer."""
    run = run_script(script, files)
    sources = [Source(path, text) for path, text in files.items()]
    (mark,) = ValueMarker(sources, script_runs=[run]).marks(answer)
    return mark


# An answer may work out a percentage itself, from numbers that files state.
#
# If a file states 300 and 470, "300 of 470 EUR (63.83 %)" has no unverified value, although no file
# states 63.83 %: it is 300 / 470, and both numbers stand before it in the sentence.

PERCENTAGES_FEES = Source("/fees.txt", "L-01: 300 EUR\nL-02: 470 EUR\n")


def test_a_percentage_after_the_numbers_it_is_worked_out_from_is_supported() -> None:
    marker = ValueMarker([PERCENTAGES_FEES])

    marks = marker.marks("300 of 470 EUR (63.83 %)")

    assert unverified_in(marks) == []


def test_a_percentage_does_not_hide_the_numbers_it_is_worked_out_from() -> None:
    """An earlier 63.83 %, which stands alone, leaves 300 and 470 supported.

    Either support of the percentage itself is right, since only its second place has 300 and 470.
    """
    marker = ValueMarker([PERCENTAGES_FEES])

    marks = marker.marks("L-01 is 63.83 % cheaper than... 300 of 470 EUR (63.83 %)")

    assert "300" not in unverified_in(marks)
    assert "470" not in unverified_in(marks)
    assert set(unverified_in(marks)) <= {"63.83"}


def test_a_sum_in_kilograms_supports_its_rounded_weight_but_no_percentage() -> None:
    """The sum 25.9 kg supports 26 kg, but not 26 %."""
    marker = ValueMarker([Source("/parcels.md", "It is 13.9 kg, and 12.0 kg.\n")])

    *_, weight, percentage = marker.marks(
        "13.9 kg + 12.0 kg = 25.9 kg: about 26 kg, and not 26 %."
    )

    assert weight.value.unit == "kg"
    assert weight.support == "computed"
    assert percentage.value.unit == "%"
    assert percentage.support == "unverified"


# A value that an answer works out itself is supported if files state what it is worked out from.
#
# If the files state 300 and 470, "Fees: 300 + 470 = 770 EUR" has no unverified value, although no
# file states 770 and no script has computed it.


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param(
            "L-01: 300 EUR\nL-02: 470 EUR\n", "Fees: 300 + 470 = 770 EUR", id="a sum"
        ),
        pytest.param(
            "L-01: 300 EUR\nL-02: 470 EUR\n",
            "770 EUR: 300 EUR for L-01 and 470 EUR for L-02",
            id="a sum before its parts",
        ),
        pytest.param(
            "L-01: 2026-03-01\nL-02: 2026-05-09\n",
            "From 2026-03-01 to 2026-05-09, 69 days.",
            id="days between two dates",
        ),
    ],
)
def test_the_result_of_values_that_files_state_is_supported(
    text: str, answer: str
) -> None:
    marker = ValueMarker([Source("/a.txt", text)])

    assert unverified_in(marker.marks(answer)) == []


def test_a_time_is_computed_from_another_one_and_the_minutes_of_the_question() -> None:
    """630 minutes are ten and a half hours."""
    marker = ValueMarker(
        [Source("/a.txt", "It opens at 09:30.\n")], "How many minutes, 630?"
    )

    marks = marker.marks("It opens at 09:30 and closes 630 minutes later, at 20:00.")

    assert unverified_in(marks) == []


def test_arithmetic_with_an_unsupported_operand_computes_nothing() -> None:
    """No file states 471, so the sum is not supported either."""
    marker = ValueMarker([Source("/a.txt", "L-01: 300 EUR\nL-02: 470 EUR\n")])

    marks = marker.marks("Fees: 300 + 471 = 771 EUR")

    assert unverified_in(marks) == ["471", "771"]


# A sum in an answer is marked `computed` if a script made it from what it read.
#
#     fees = harness.read("/fees.txt").content.split()      # 300, 470 and 300
#     print(sum(int(fee) for fee in fees))                  # 1070
#
# No file states 1070, but the script has computed it: so "All cost 1,070 EUR." is supported.

TOTAL = """
fees = harness.read("/fees.txt").content.split()
total = sum(int(fee) for fee in fees)
"""
"""The beginning of scripts."""


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


def test_a_number_that_a_script_only_writes_down_is_not_computed_of_computed_sums() -> (
    None
):
    """No file states 535."""
    mark = mark_after_script(
        "print(535 + 535)",
        files={"/fees.txt": "300\n470\n300\n"},
        answer="All cost 1,070 EUR.",
    )

    assert mark.support == "unverified"


# The note beside a computed value of an answer names files in the same order in each run.
#
# The note `= sum(fees), from /south.csv; /north.csv` says how a script computed the value, and which
# files the script read for it. The gates find both in the script's source, without running it. If
# they took the files from a Python set, the order would differ from process to process.

SCRIPT = """\
regions = harness.read('/regions.json').json()
north = regions['north']
north.append(int(harness.read('/north.csv').content))
south = regions['south']
south.append(int(harness.read('/south.csv').content))
east = regions['east']
east.append(int(harness.read('/east.csv').content))
west = regions['west']
west.append(int(harness.read('/west.csv').content))
hills = regions['hills']
hills.append(int(harness.read('/hills.csv').content))
print(sum(sum(fees) for fees in regions.values()))
"""
"""Adds a number of each of five files to a list of `/regions.json`: the sum is from all six."""


def test_a_note_names_files_in_the_same_order_in_each_run() -> None:
    """The lists that the script changes come first, from z to a, and then what they belong to."""
    run = ScriptRun(SCRIPT, printed="1070\n")
    marker = ValueMarker(sources=[], script_runs=[run])

    (mark,) = marker.marks("All cost 1,070 EUR.")

    file_names = re.findall(r"/(\w+)\.", mark.note)
    assert file_names == ["west", "south", "north", "hills", "east", "regions"]


# The note beside a computed value of an answer shows the formula of the script that computed it.
#
#     = sum(fees), from 3 rows of /stock.csv, lines 4, 9, 12
#
# A person checks the value by it.


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


def test_a_note_shows_a_sum_that_went_through_the_scratchpad() -> None:
    """A later script prints what an earlier one has stored."""
    runs = [
        ScriptRun(
            "fees = harness.table('/stock.csv', where=\"kind = 'a'\").rows\n"
            "scratchpad['total'] = sum(fees)",
            printed="",
        ),
        ScriptRun("print(scratchpad['total'])", printed="1070\n"),
    ]
    heading_and_rows = Source(
        "/stock.csv",
        "item,kind,fee\nx,a,300\ny,a,470\nz,a,300",
        LineNumbers((1, 4, 9, 12)),
    )
    marker = ValueMarker([heading_and_rows], script_runs=runs)

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


# A value of an answer is marked `computed` if a script made it from rows, lines or a query.
#
# No file states 1070, but a script that has read the column 300, 470, 300 and printed its sum has
# computed it. So "All cost 1,070 EUR." is supported.


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


# A constant stays unverified, though a script prints it beside what it has computed from rows.
#
#     rows = harness.read("/fees.txt").content.split()      # 3 rows
#     print(len(rows), 20 + 15)                             # 3 35
#
# The number of rows is computed from a file, and may stand in an answer. The 35 comes from no file.

# Every script begins with this line. The three rows have no 35.
CONSTANTS_BESIDE_ROWS_READ_ROWS = 'rows = harness.read("/fees.txt").content.split()\n'
CONSTANTS_BESIDE_ROWS_FILES = {"/fees.txt": "300\n470\n300\n"}


@pytest.mark.parametrize(
    "print_number",
    [
        pytest.param(
            "n = 0\nfor row in rows:\n    n += 1\nprint(f'{n}5')",
            id="counter in a text",
        ),
        pytest.param("print(str(len(rows)) + '5')", id="two texts"),
        pytest.param("print(f'{len(rows)}{5}')", id="one text"),
        pytest.param("print(len(rows), end='')\nprint(5)", id="two prints"),
    ],
)
def test_the_number_of_rows_and_a_digit_behind_it_are_no_computed_number(
    print_number: str,
) -> None:
    """Each script prints the number of rows, 3, and behind it the constant 5: `35`."""
    mark = mark_after_script(
        CONSTANTS_BESIDE_ROWS_READ_ROWS + print_number,
        CONSTANTS_BESIDE_ROWS_FILES,
        answer="All cost 35 EUR.",
    )

    assert mark.support == "unverified"


@pytest.mark.parametrize(
    "print_number",
    [
        pytest.param("print(len(rows) + 32, sep='')", id="3 + 32"),
        pytest.param("print(len(rows) * 0 + int('z', 36))", id="0 + the digit `z`, 35"),
        pytest.param("print(len(rows) * 0 + ord('#'))", id="0 + the code of `#`, 35"),
        # `harness.earlier()` is {"total": 1070}. An earlier script has kept this number, which
        # counts as a constant.
        pytest.param(
            "print(harness.earlier()['total'] - 1035 + len(rows) * 0)",
            id="1070 of an earlier script - 1035 + 0",
        ),
    ],
)
def test_a_constant_to_which_the_number_of_rows_is_added_is_not_computed(
    print_number: str,
) -> None:
    mark = mark_after_script(
        CONSTANTS_BESIDE_ROWS_READ_ROWS + print_number,
        CONSTANTS_BESIDE_ROWS_FILES,
        answer="All cost 35 EUR.",
    )

    assert mark.support == "unverified"


# A constant of a script stays a constant in a list, a dictionary or an object.
#
#     rows = harness.read("/fees.txt").content.split()      # 3 rows
#     out = [len(rows)]
#     out.append(20 + 15)
#     print(out)                                            # [3, 35]
#
# The 3 is computed from a file. The 35 is made of constants, so an answer with it stays unverified.


@pytest.mark.parametrize(
    "script_end",
    [
        "scratchpad['x'] = []\n"
        "scratchpad['x'].append(20 + 15)\n"
        "print(scratchpad['x'], len(rows))",
        "out = {}\nout.setdefault('a', []).append(20 + 15)\nprint(len(rows), out)",
        "out = [len(rows)]\nsame = out\nsame.append(20 + 15)\nprint(out)",
        "def put(xs, x):\n"
        "    xs.append(x)\n"
        "out = [len(rows)]\n"
        "put(out, 20 + 15)\n"
        "print(out)",
        "import heapq\nout = [len(rows)]\nheapq.heappush(out, 20 + 15)\nprint(out)",
        "class Box:\n    pass\nbox = Box()\nbox.x = 20 + 15\nprint(box.x, len(rows))",
    ],
)
def test_a_constant_put_into_a_container_or_an_object_is_not_computed(
    script_end: str,
) -> None:
    script = 'rows = harness.read("/fees.txt").content.split()\n' + script_end

    mark = mark_after_script(
        script, {"/fees.txt": "300\n470\n300\n"}, answer="All cost 35 EUR."
    )

    assert mark.support == "unverified"


# A number that an SQL query puts together from constants alone stays unverified.
#
# The fees in a file are 300, 470 and 300, which makes 1070. A model could guess the sum, and let a
# script query `select 500+570`. So the answer "All cost 1,070 EUR." needs a query of the file's fees.

FEES = Source("/fees.csv", "fee\n300\n470\n300\n")


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            "print(harness.table('/fees.csv', sql='select 500+570 x from t').rows)",
            id="sum in a query",
        ),
        pytest.param(
            "print(harness.table('/fees.csv', sql='select 535 * 2 x from t').rows)",
            id="product in a query",
        ),
        # The letter has the code 1070.
        pytest.param(
            "print(harness.table('/fees.csv', sql=\"select unicode('Ю') x\").rows)",
            id="code of a letter in a query",
        ),
        # The letter has the code 1065.
        pytest.param(
            "print(harness.table('/fees.csv', sql=\"select unicode('Щ') + 5 x\").rows)",
            id="code of a letter, and a number, in a query",
        ),
        pytest.param(
            "print(harness.table('/fees.csv', sql=\"select printf('%d%d', 9+1, 70)\").rows)",
            id="digits put together in a query",
        ),
        pytest.param(
            "print(harness.table('/fees.csv', sql=\"select cast('0x42e' as int) x\").rows)",
            id="base 16 in a query",
        ),
        pytest.param(
            "print(harness.table('/fees.csv', sql=\"select '0b1_00_0010_1110'::int x\").rows)",
            id="base 2 in a query",
        ),
    ],
)
def test_a_number_from_constants_of_a_query_stays_unverified(script: str) -> None:
    """The script is not run: its source is analysed, as if it had printed 1070."""
    run = ScriptRun(script, printed="1070\n")
    marker = ValueMarker(sources=[FEES], script_runs=[run])

    (mark,) = marker.marks("All cost 1,070 EUR.")

    assert mark.support == "unverified"


def test_a_number_of_a_script_that_is_no_python_stays_unverified() -> None:
    """How such a script would have computed 1070 cannot be found."""
    run = ScriptRun("print((", printed="1070\n")
    marker = ValueMarker(sources=[FEES], script_runs=[run])

    (mark,) = marker.marks("All cost 1,070 EUR.")

    assert mark.support == "unverified"


# A script that knows the right number, and only writes it down, is no proof of it.
#
# The fees in a file are 300, 470 and 300, which makes 1070. A model could guess that, or read it
# elsewhere, and run `print(535 + 535)`: the answer "All cost 1,070 EUR." stays unverified then.


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("print(1070)", id="number"),
        pytest.param("print(535 + 535)", id="sum of two constants"),
        pytest.param("print(sum([1000, 70]))", id="sum of a list"),
        pytest.param("print(int('tq', 36))", id="number in base 36"),
        pytest.param("print('1,070')", id="printed with a comma"),
        pytest.param("scratchpad['x'] = str(535 + 535)", id="stored"),
        pytest.param(
            "print(harness.earlier()['total'])", id="number of an earlier script"
        ),
        pytest.param(
            "fees = harness.read('/fees.txt').content.split()\n"
            "print(len(fees))\n"
            "print(sum([1000, 70]))",
            id="printed below a count of rows",
        ),
        pytest.param(
            "fees = harness.read('/fees.txt').content.split()\n"
            "total = sum(int(fee) for fee in fees)\n"
            "print(total + 711 - 711)",
            id="constants beside the total",
        ),
    ],
)
def test_a_number_that_a_script_only_writes_down_is_not_computed(script: str) -> None:
    mark = mark_after_script(
        script, files={"/fees.txt": "300\n470\n300\n"}, answer="All cost 1,070 EUR."
    )

    assert mark.support == "unverified"


# A constant of a script stays a constant on its way through functions and exceptions.
#
#     rows = harness.read("/fees.txt").content.split()      # 3 rows
#     functions = {'a': lambda x: x}
#     print(functions['a'](20 + 15), len(rows))             # 35 3
#
# The 3 is computed from a file. The 35 is made of constants, so an answer with it stays unverified.


@pytest.mark.parametrize(
    "script_end",
    [
        "match 20 + 15:\n    case n:\n        print(n, len(rows))",
        # 11 definitions of one name. At most 10, `MAX_FUNCTIONS_OF_ONE_NAME`, are followed.
        "def same(x):\n    return x\n" * 11 + "print(same(20 + 15), len(rows))",
        "functions = {'a': lambda x: x}\nprint(functions['a'](20 + 15), len(rows))",
        "try:\n"
        "    raise ValueError(20 + 15)\n"
        "except ValueError as e:\n"
        "    print(e, len(rows))",
    ],
)
def test_a_constant_that_takes_a_detour_is_not_computed(script_end: str) -> None:
    """It is the value of a pattern, a function or an exception."""
    script = 'rows = harness.read("/fees.txt").content.split()\n' + script_end

    mark = mark_after_script(
        script, {"/fees.txt": "300\n470\n300\n"}, answer="All cost 35 EUR."
    )

    assert mark.support == "unverified"


def test_what_an_object_of_the_script_called_harness_returns_is_not_computed() -> None:
    """The script replaces `harness`, by which scripts read files, by an object of its own."""
    script = """
class Mine:
    def read(self, path):
        return 35
harness = Mine()
print(harness.read("/fees.txt"))
"""

    mark = mark_after_script(
        script, {"/fees.txt": "300\n470\n300\n"}, answer="All cost 35 EUR."
    )

    assert mark.support == "unverified"


# A constant stays unverified, though the same script prints or keeps the number of rows as well.
#
# rows = harness.read("/fees.txt").content.split()      # 3 rows
# print(len(rows))                                      # 3
# print(20 + 15)                                        # 35, which comes from no file

# Every script begins with this line. The three rows have no 35.
READ_ROWS = 'rows = harness.read("/fees.txt").content.split()\n'
FILES = {"/fees.txt": "300\n470\n300\n"}


@pytest.mark.parametrize(
    "print_both",
    [
        # In a script, `console.log` is another name of `print`.
        pytest.param(
            "console.log(len(rows))\nconsole.log(sum([20, 15]))", id="by `console.log`"
        ),
        pytest.param(
            "print(len(rows))\nprint(f'x\\n{20 + 15}')", id="on a line of its own"
        ),
        pytest.param(
            "def say(text):\n    print(text)\nsay(len(rows))\nsay(20 + 15)",
            id="by a function of the script",
        ),
        pytest.param(
            "say = print\nsay(20 + 15)\nprint(len(rows))",
            id="by another name of `print`, and before the number of rows",
        ),
        pytest.param("list(map(print, [len(rows), 20 + 15]))", id="by `map`"),
        pytest.param(
            "print(len(rows))\nscratchpad.update(x=20 + 15)", id="kept, and not printed"
        ),
    ],
)
def test_a_constant_printed_beside_the_number_of_rows_is_not_computed(
    print_both: str,
) -> None:
    mark = mark_after_script(READ_ROWS + print_both, FILES, answer="All cost 35 EUR.")

    assert mark.support == "unverified"


# A total that a script computes from files stays supported beside a number that is not.
#
# No file states 8000. So `big`, the number of fees above it, is not computed from files alone, and an
# answer with it is unverified. `total`, printed or stored beside it, is computed from files.

TOTALS_BESIDE_CONSTANTS_TOTAL_AND_BIG = """
fees = [int(fee) for fee in harness.read("/fees.txt").content.split()]
total = sum(fees)
big = sum(1 for fee in fees if fee > 8000)
"""
"""The beginning of scripts."""


def test_a_number_that_depends_on_a_constant_is_unverified() -> None:
    mark = mark_after_script(
        TOTALS_BESIDE_CONSTANTS_TOTAL_AND_BIG + "print(big)",
        files={"/fees.txt": "9000\n" * 35},
        answer="There are 35 big fees.",
    )

    assert mark.support == "unverified"


@pytest.mark.parametrize(
    "script_end",
    [
        pytest.param(
            "scratchpad['answer'] = f'All cost {total:,} EUR.'\nprint(fees, big)",
            id="answer from the total, print of the count",
        ),
        pytest.param(
            "text = f'{total:,}'\n"
            "scratchpad['answer'] = 'All cost ' + text + ' EUR.'\n"
            "print(total, big)",
            id="answer in parts",
        ),
        pytest.param(
            "scratchpad['answer'], scratchpad['n'] = f'All cost {total:,} EUR.', big",
            id="two values assigned at once",
        ),
        pytest.param(
            "print(f'{big} above, all cost {total:,} EUR.')", id="both in one text"
        ),
        pytest.param("print(f'{big} above')\nprint('total', total)", id="both printed"),
    ],
)
def test_a_total_is_computed_though_a_value_beside_it_depends_on_a_constant_of_totals_beside_constants(
    script_end: str,
) -> None:
    """The script prints or stores both."""
    mark = mark_after_script(
        TOTALS_BESIDE_CONSTANTS_TOTAL_AND_BIG + script_end,
        files={"/fees.txt": "300\n470\n300\n"},
        answer="All cost 1,070 EUR.",
    )

    assert mark.support == "computed"


# A total that a script computes from files stays supported, however it gets into the output.
#
# No file states 8000. So `big`, the number of fees above it, is not computed from files alone.
# `total` is, although the script prints or stores `big` beside it: in a loop, a container or a
# function.

TOTAL_AND_BIG = """
fees = [int(fee) for fee in harness.read("/fees.txt").content.split()]
total = sum(fees)
big = sum(1 for fee in fees if fee > 8000)
"""
"""The beginning of scripts."""


@pytest.mark.parametrize(
    "script_end",
    [
        pytest.param(
            "for fee in fees:\n    print(fee, big)\nprint('total:', total)",
            id="count printed in a loop",
        ),
        pytest.param(
            "console.log('total:', total)\nif big:\n    print(big)",
            id="console.log instead of print",
        ),
        pytest.param(
            "scratchpad['total'] = total\nscratchpad['big'] = big", id="both stored"
        ),
        pytest.param(
            "scratchpad['all'] = [total]\nscratchpad['big'] = {'n': big}",
            id="both stored in containers",
        ),
        pytest.param(
            "def shown(number, limit=8000):\n    return f'{number}'\n"
            "print(big, shown(total), sep=': ')",
            id="shown by a function with a constant",
        ),
        pytest.param(
            "def above(fees, limit=8000):\n    return [fee for fee in fees if fee > limit]\n"
            "print(sum(above(fees, 0)))",
            id="a default of a function that no call leaves out",
        ),
    ],
)
def test_a_total_is_computed_though_a_value_beside_it_depends_on_a_constant(
    script_end: str,
) -> None:
    mark = mark_after_script(
        TOTAL_AND_BIG + script_end,
        files={"/fees.txt": "300\n470\n300\n"},
        answer="All cost 1,070 EUR.",
    )

    assert mark.support == "computed"


# Below an answer, a footnote says where a value was found; one that was not found is marked.
#
# It is 300 EUR [1], not 555 [unverified] EUR.
#
#   [1] /a.md:1


@pytest.mark.parametrize(
    ("answer", "footnoted_text", "footnotes"),
    [
        pytest.param(
            "It is for L-01.",
            "It is for L-01 [1].",
            "  [1] /a.md:1",
            id="an id as in the file",
        ),
        pytest.param(
            "About 1,283 EUR.",
            "About 1,283 [1] EUR.",
            "  [1] /a.md:1 (rounded from 1283.40)",
            id="a rounded amount",
        ),
        pytest.param(
            "It is 555 EUR.",
            "It is 555 [unverified; nearest: 1283.40, /a.md:1] EUR.",
            "unverified: 555",
            id="an invented amount",
        ),
        pytest.param(
            "It is for L-01:\n\n```\nfee = 999\n```",
            "It is for L-01 [1]:\n\n```\nfee = 999\n```",
            "  [1] /a.md:1",
            id="a code block, in which nothing is marked",
        ),
    ],
)
def test_a_value_gets_a_footnote_that_says_where_it_was_found(
    answer: str, footnoted_text: str, footnotes: str
) -> None:
    marker = ValueMarker([Source("/a.md", "It is 1283.40 EUR for L-01.\n")])

    text, notes = footnoted(answer, marker.marks(answer))

    assert text == footnoted_text
    assert notes == footnotes


# Footnotes below an answer are numbered, and say where each of its values was found.
#
# It is for L-01 [1], at 300 EUR [2].
#
#   [1] /a.md:1
#   [2] /fees.csv:4


def test_footnotes_are_numbered_and_unverified_values_come_last() -> None:
    """The answer has an amount, a code block, an invented amount and an id, in this order."""
    answer = "About 1,283 EUR.\n\n```\nfee = 999\n```\nNot 555 EUR (L-01)."
    marker = ValueMarker([Source("/a.md", "It is 1283.40 EUR for L-01.\n")])

    text, notes = footnoted(answer, marker.marks(answer))

    assert text == (
        "About 1,283 [1] EUR.\n"
        "\n"
        "```\n"
        "fee = 999\n"
        "```\n"
        "Not 555 [unverified; nearest: 1283.40, /a.md:1] EUR (L-01 [2])."
    )
    assert notes == (
        "  [1] /a.md:1 (rounded from 1283.40)\n"  # the amount
        "  [2] /a.md:1\n"  # the id
        "unverified: 555"
    )


def test_the_path_beside_an_unverified_value_is_escaped_for_html() -> None:
    """A file may have a name such as `<b>.md`, and answers are also shown on a web page."""
    marker = ValueMarker([Source("/<b>.md", "It is 1283.40 EUR for L-01.\n")])
    answer = "It is 555 EUR for L-01."
    text_format = TextFormat(escape=html.escape)

    text, _notes = footnoted(answer, marker.marks(answer), text_format=text_format)

    assert "/&lt;b&gt;.md:1]" in text


# Answers with one wrong value each: exactly this value is marked as unverified.
#
# The answers are about a folder of files. A value is *unverified* if the files that the answer's
# script reads do not state it, as 23 in `01-invented-figure`, in short:
#
#     question     How many complaints were there?
#     answer       There were 23 complaints.
#
# The questions, files and answers are shared with other projects, and not part of this one. Without
# them the tests are skipped.


@pytest.mark.skipif(
    not SHARED_QUESTIONS.exists(), reason="the shared questions are not here"
)
@pytest.mark.parametrize(
    ("name", "wrong_value"),
    [
        ("01-invented-figure", "23"),  # complaints, of which no file tells
        # A right number with another unit than in the file
        ("02-wrong-unit", "47,315"),  # USD; the file says EUR
        ("02b-wrong-unit-k", "47,315"),  # thousand EUR; the file says EUR
        ("02d-wrong-unit-notice", "2"),  # 2 months; the file says 2 weeks
        # A quotation that is put together from two sentences of the file
        (
            "04-stitched-quote",
            "The server room may be entered by Otto Lindgren with the consent of Priya Raman.",
        ),
        # A rounded number; the file says 47315
        ("06-wrong-rounding", "48"),  # thousand; 47 would be verified
        ("06b-wrong-rounding2", "47,400"),
        ("05-earlier-year", "40,120"),  # in the row of 2024, and the answer names 2025
        # A number that the answer should have worked out
        ("12-wrong-sum-computed", "92,375"),  # the sum is 92,275
        ("13-wrong-percent", "4.3"),  # it is 3.4
        ("14-small-count", "5"),  # "5 years"; the file has rows of three
        # What stands in another form, or nowhere, in the files
        (
            "15-wrong-code-place",
            "TIMEOUT = 45",
        ),  # one file says 30, another timeout = 45
        ("16-hardcoded-print", "231"),  # the script prints 230+1
        (
            "03-wrong-row",
            "47,315",
        ),  # in the row of the North, and the answer names the South
    ],
)
def test_a_mistake_in_a_value_makes_this_value_unverified(
    name: str, wrong_value: str
) -> None:
    assert unverified_in_answer(name) == [wrong_value]


@pytest.mark.skipif(
    not SHARED_QUESTIONS.exists(), reason="the shared questions are not here"
)
def test_a_right_number_rounded_to_hundreds_is_verified() -> None:
    """The answer says 47,300, and the file 47315."""
    assert unverified_in_answer("06c-right-rounding") == []


@pytest.mark.skipif(
    not SHARED_QUESTIONS.exists(), reason="the shared questions are not here"
)
def test_the_values_of_two_rows_that_are_exchanged_are_unverified() -> None:
    assert unverified_in_answer("17-swapped") == ["44,960", "47,315"]


# No value of an answer is marked as unverified if the answer's mistake is not in a value.
#
# A value, such as 47,315, is unverified if the files that the answer's script read do not state it.
# What a sentence says of a value is compared with the files only by names: another row, column or clause
# may have the one that the answer writes. An answer may also leave out a condition.


@pytest.mark.skipif(
    not SHARED_QUESTIONS.exists(), reason="the shared questions are not here"
)
@pytest.mark.parametrize(
    "name",
    [
        # The file states the value of the answer, but of something else.
        "02c-wrong-unit-time",  # 90 ms; the file says 90, without a unit
        # The extension 4471 is right, but not the name of its owner.
        "07-wrong-name",  # the owner of another extension
        "07b-wrong-name-invented",  # a name that no file has
        # The script says that it has set a timeout to 60, and has not. 60 is in the question.
        "08-claims-edit",
        # The answer leaves out a condition, or says the contrary of what the file says.
        "09-omitted-condition",
        "11-negated",
        # The answer is right by the rules of 2023, which those of 2025 have replaced.
        "10-stale-version",  # the script read the old rules only
        "10b-stale-both-read",  # the script read both, and answered by the old ones
    ],
)
def test_an_answer_whose_mistake_is_in_no_value_has_no_unverified_value(
    name: str,
) -> None:
    assert unverified_in_answer(name) == []


# A text states the date or time of an answer, whatever its spelling there.
#
# A value of an answer is supported if a text that the agent read states it. "due 2031-05-04" states
# the answer "4 May 2031", in any of many languages, but not "5 May 2031".


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        # Dates
        ("4 May 2031", "due 2031-05-04"),
        ("4 May", "due 2031-05-04"),
        ("04/05/2031", "due 2031-04-05"),
        ("2027-04-07", "20270407"),
        ("7 April 2027", "2027\u201104\u201107"),
        ("11 November", "Geschlossen am 11.11. und am 24.12."),
        ("March 2026", "paid 2026-03-12"),
        ("2026", "令和8年の報告"),
        ("15/11/2027", "El contrato vence el 15 de noviembre de 2027."),
        ("2026-05-11", "納期は2026年5月11日（月）です。"),
        ("July 4, 1776", "signed on 4th July, 1776"),
        # Times of day
        ("14:00", "from 14:00 on"),
        ("9:00", "otwarte od godz. 9.00"),
        ("11:30", "Møtet begynner kl. 11.30"),
        ("15:00 CEST", "starts at 13:00 UTC"),
    ],
)
def test_a_value_is_stated_in_any_spelling_of_dates_and_times(
    answer: str, text: str
) -> None:
    values = [value.text for value in answer_values(answer)]

    stated_values = values_reported(answer, text)

    assert values != []
    assert stated_values == values


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        # Dates
        ("12 March 2026", "in 2026-03"),
        ("2031-05-04", "every 4 May"),
        ("5 May 2031", "due 2031-05-04"),
        ("2026", "令和9年の報告"),
        # Times of day
        ("9:00", "closes at 17:00"),
        ("17:10", "05:10"),
        ("15:00 CEST", "from 14:00 on"),
        ("15:00", "from 14:00 on"),
        ("10:00 CET", "10:00 JST"),
        ("18時間", "18:00に閉まる"),  # 18 hours
        ("20.00 EUR", "(20:00)"),
    ],
)
def test_a_text_with_a_similar_value_does_not_state_it_of_dates_and_times(
    answer: str, text: str
) -> None:
    stated_values = values_reported(answer, text)

    assert stated_values == []


# A text states an id, a version or a telephone number of an answer, whatever its spelling there.
#
# A value of an answer is supported if a text that the agent read states it. "the book B-104" states
# the answer "b_104", but not "b-105".


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        # Ids, versions and telephone numbers
        ("b_104", "the book B-104"),
        ("INV-9999", "請求書INV-9999の金額"),
        ("3.1.0", "python < '3.10'\nwerkzeug>=3.1.0,"),
        ("+49301234567", "Tel. +49 30 1234567"),
        ("+1 415 555 0134", "phone: +1 (415) 555-0134"),
    ],
)
def test_a_value_is_stated_in_any_spelling_of_ids(answer: str, text: str) -> None:
    values = [value.text for value in answer_values(answer)]

    stated_values = values_reported(answer, text)

    assert values != []
    assert stated_values == values


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        # A part of a longer number, id or version
        ("350 zł", "48 350,00 zł"),
        ("23 items", "since 2023"),
        ("1234567", "+49 30 1234567"),
        ("3.1.0", "310 ml, since 3.10, not 13.1.0 nor 3.1.0.2"),
        ("2.14", "v2.14.3"),
        # Another id
        ("9999", "INV-9998の"),
        ("FB-1934-02", "FA-1934-02"),
        ("b-105", "the book B-104"),
    ],
)
def test_a_text_with_a_similar_value_does_not_state_it_of_ids(
    answer: str, text: str
) -> None:
    stated_values = values_reported(answer, text)

    assert stated_values == []


# A text with a number that is only similar to that of an answer does not state it.
#
# A value of an answer is supported if a text that the agent read states it. "45 seats" does not state
# the answer "45 %", and "weight 1.199 kg" not "1199 kg".


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        # The same number with another unit, or with none
        ("2 GB", "2 GiB"),
        ("27 days", "portes_eur: 27.15"),  # 27 euros and 15 cents
        ("45 %", "45 seats"),
        ("2 months", "2 weeks"),
        ("90 km", "speed 90 km/h"),
        ("5 °C", "-5 °C"),
        ("28 g", "sample;weight_g;share\nB-1;38,4;1,28"),  # the share is 1.28
        ("47,315 EUR", "year,revenue_usd\n2025,47315"),
        # The same quantity, if the number of the text had the right unit
        ("2048 MiB", "There are 2 doors."),  # 2048 MiB are 2 GiB
        ("45000 g", "Room 7 has 45 seats."),  # 45000 g are 45 kg
        ("2700 minutes", "Room 7 has 45 seats."),  # 2700 minutes are 45 hours
        # A number of another size
        ("120 EUR", "121 EUR"),
        ("47,300 EUR", "47415 EUR"),
        ("1,250 EUR", "1254 EUR"),
        ("47,400 EUR", "47315 EUR"),
        ("3.3 MW", "rated 3450 kW"),
        ("1199 kg", "weight 1.199 kg"),
        ("47,315 thousand EUR", "47,315 EUR"),
        ("12.5 million", "Thefts [in thousands]\n2009 12.5"),
        (
            "It was 11,453 thousand of the total",
            "2010 11453",
        ),  # 11 million, not 11 thousand
        ("1.5 billion EUR", "1.5 million EUR"),
        ("30円", "費用は3万円"),  # 30 yen, 30,000 yen
    ],
)
def test_a_text_with_a_similar_value_does_not_state_it(answer: str, text: str) -> None:
    stated_values = values_reported(answer, text)

    assert stated_values == []


# A text states a number of an answer with its unit, whatever its spelling there.
#
# A value of an answer is supported if a text that the agent read states it. "rated 3450 kW" states
# the answer "3.45 MW", and "10–12 % of all" states "10-12 %".


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        # Counts and quantities
        ("13th", "the 13 of them"),
        ("the 21st", "21 entries"),
        ("6.5450", "item,price\nscrew,6.545"),
        ("5 m³", "5 cubic metres"),
        ("3.5 hours", "3½ hours"),
        ("3 [4] hours", "It takes 3 hours."),
        ("38,4 g", "sample;weight_g;share\nB-1;38,4;1,28"),
        ("3.45 MW", "rated 3450 kW"),
        ("2048 MiB", "The disk has 2 GiB."),
        ("0.23 s", "latency p95: 230 ms"),
        ("−12.5 °C", "temp: -12.5 °C at noon"),
        # Percentages and multiples
        ("10-12 %", "10–12 % of all"),
        ("15 %", "a share of 15 percent"),
        ("1.3 million", "1,283,400"),
        ("3.4 million euros", "Sales (in million euros)\n2009 3.4"),
        ("12.5 thousand", "Thefts [in thousands]\n2009 12.5"),
        # Amounts of money
        ("47,315 EUR", "year,revenue_eur\n2025,47315"),
        ("39,99 EUR", "Entgelt 39,99 EUR/Monat"),
        ("EUR 1,299.00", "price_cents: 129900"),
        ("48 350 zł", "Razem: 48 350,00 zł"),
        ("500 SEK", "Pris: 500 kr"),
        ("61,899,000 yen", "6,189万9,000円"),
        ("238,000 円", "売上 (万円)\n23.8"),
        ("35,000元", "合同金额为人民币3.5万元,期限18个月。"),
    ],
)
def test_a_value_is_stated_in_any_spelling(answer: str, text: str) -> None:
    values = [value.text for value in answer_values(answer)]

    stated_values = values_reported(answer, text)

    assert values != []
    assert stated_values == values


# A text of one repeated piece is searched for values with bounded work.
#
# Answers and texts come from anybody. One such as `7 7 7 7 …` or `1.1.1.1. …` has a possible
# beginning of a value, such as a date, at each place.

REPEATED_PIECES = (
    "7 ",
    "2031-05-04 ",
    "a1-",
    '"',
    "1.",
    "+31 20 ",
    "„x",
    "10:00 ",
    "May 4, ",
)


@pytest.mark.parametrize("piece", REPEATED_PIECES)
def test_reading_and_searching_a_text_of_one_repeated_piece_is_linear_work(
    piece: str,
) -> None:
    """The text is read as an answer, and it is searched for the values of another answer."""

    def read_and_search(piece_count: int) -> None:
        text = piece * piece_count
        answer_values(text)
        values_reported("2031-05-05, 4711 EUR, b-105, 11:11", text)

    assert_linear(read_and_search, 500)


@pytest.mark.parametrize("piece", REPEATED_PIECES)
def test_the_number_of_values_that_are_read_is_bounded(piece: str) -> None:
    """Of each of 30 forms, such as a date in digits, at most `MOST_READ_VALUES` are read."""
    long_answer = piece * (200_000 // len(piece))

    values = answer_values(long_answer)

    assert len(values) <= 30 * bounds.MOST_READ_VALUES


# A citation quotes lines of a file, and there a value of the answer is looked for first.


def test_a_value_is_found_first_where_a_citation_quotes_it() -> None:
    """The version 3.1 is in two lines. The answer cites the file, and quotes the second of them
    with the line before it. The size, 4 MB, is outside of the quotation."""
    text = "added: 3.1\n...\nparted cookies\nadded: 3.1\n4 MB\n"
    source = Source("/config.rst", text)
    # How many blanks are between two words does not matter.
    quoted_parts = list(source.quoted_parts("parted  cookies\nadded: 3.1"))
    marker = ValueMarker([source], cited=frozenset({source.path}), quoted=quoted_parts)

    version_mark, size_mark = marker.marks("Since 3.1; 4 MB.")

    assert version_mark.place == Place("/config.rst", line=4)
    assert size_mark.place == Place("/config.rst", line=5)


def test_a_quotation_of_one_line_is_found_at_its_first_place() -> None:
    """The line with the index 1 is the first one that is `added: 3.1`. The line before it,
    `added: 3.10`, only begins like the quotation."""
    source = Source("/config.rst", "added: 3.10\nadded: 3.1\n...\nadded: 3.1\n")

    line_index = source.line_of_quotation("added: 3.1")

    assert line_index == 1


def test_a_quotation_that_is_not_in_the_text_has_no_place() -> None:
    source = Source("/config.rst", "added: 3.10\nadded: 3.1\n")

    assert list(source.quoted_parts("added: 3.2")) == []


def test_quoted_rows_of_a_query_keep_their_lines_in_the_file() -> None:
    """The query returned the heading, line 1, with the rows in lines 7 and 9 of the file."""
    rows = "id;fee\nL-02;300\nL-04;470"
    source = Source("/loans.csv", rows, LineNumbers((1, 7, 9)))

    (quoted_rows,) = source.quoted_parts("L-02;300\nL-04;470")

    assert quoted_rows.place(0) == Place("/loans.csv", 7)
    assert quoted_rows.place(1) == Place("/loans.csv", 9)


# Whether the value of an expression in a script was computed, or only written down.
#
# A value that a script only writes down, a literal, proves nothing. So the gates look where the value
# of an answer comes from:
#
#     7                      written down
#     scratchpad["n"]        what was stored there: written down if that was `scratchpad["n"] = 7`
#     scratchpad.get("n")    computed: the gates follow no call, and count each as a computation


@pytest.mark.parametrize(
    ("code", "is_literal"),
    [
        pytest.param("[scratchpad['n'], scratchpad['n']]", True, id="no call"),
        pytest.param(
            "[scratchpad['n'], scratchpad.get('n')]", False, id="call behind the key"
        ),
        pytest.param(
            "[scratchpad.get('n'), scratchpad['n']]", False, id="call before the key"
        ),
    ],
)
def test_a_list_with_a_call_is_computed_wherever_the_call_stands(
    code: str, is_literal: bool
) -> None:
    """The script has stored a literal: `scratchpad["n"] = "text"`.

    The search for origins looks the key `n` up only once. When it comes to `scratchpad['n']` again,
    it must still go on to the other elements of the list, of which one may be a call.
    """
    scratchpad = Definitions()
    scratchpad.scratchpad = scratchpad
    definitions = definitions_of(ast.parse("scratchpad['n'] = 'text'"), scratchpad)
    list_expression = ast.parse(code, mode="eval").body

    origins = traced(ScriptExpression(list_expression, definitions))

    assert origins.is_literal == is_literal


# An answer may round or convert what a file states; the text beside the value says so.
#
# the file    weight: 6.545 kg
# the answer  It weighs 6.5 kg.       /a.md:1 (rounded from 6.545)


def only_mark(answer: str, text: str) -> Mark:
    """Return the mark of an answer with one value, after a trial that read `text` in `/a.md`."""
    (mark,) = ValueMarker([Source("/a.md", text)]).marks(answer)
    return mark


def test_a_rounded_value_says_what_it_is_rounded_from() -> None:
    mark = only_mark("It weighs 6.5 kg.", text="weight: 6.545 kg of 12.5 kg")

    assert support_text(mark) == "/a.md:1 (rounded from 6.545)"


def test_a_converted_value_says_what_the_file_states() -> None:
    mark = only_mark("It is rated 3.45 MW.", text="rated 3450 kW")

    assert support_text(mark) == "/a.md:1, under rated (3450 kW)"


def test_an_unverified_value_names_the_nearest_one_and_its_place() -> None:
    """The user may see that the answer should have said 9:00."""
    mark = only_mark("The shop closes at 17:00.", text="x\nThe shop opens at 9:00.")

    assert support_text(mark) == "unverified; nearest: 9:00, /a.md:2"


def test_the_nearest_value_has_the_same_unit() -> None:
    """The weight is nearer to 12, but it is no price."""
    mark = only_mark("The tea costs 15 EUR.", text="tea: 16 kg\ntea: 29 EUR")

    assert support_text(mark) == "unverified; nearest: 29, /a.md:2"


def test_the_nearest_value_stands_in_no_column_of_another_unit() -> None:
    mark = only_mark("The tea costs 15 EUR.", text="what,net_kg,price_eur\ntea,16,29")

    assert support_text(mark) == "unverified; nearest: 29, /a.md:2"


# A value that the trial itself wrote into a file is marked as `written`.
#
#     the trial reads      /jonas.md    grade: E3
#     the trial writes     /jonas.md    grade: E4
#     the answer           Now at E4.           written to /jonas.md:1
#
# No file that it read states E4. The user sees that the trial wrote it.


def mark_of_grade(calls: CallsOfTrial, *, cited: list[str]) -> Mark:
    """Return the mark of the grade in the answer "Now at E4.", which cites these files."""
    marker = marker_of(
        calls.evidence, question="", cited=cited, context_texts=[], script_runs=[]
    )
    (mark,) = marker.marks("Now at E4.")
    return mark


def test_a_value_that_the_trial_wrote_into_a_cited_file_is_marked_as_written() -> None:
    calls = CallsOfTrial()
    calls.read_text("/jonas.md", "grade: E3\n")
    calls.write("/jonas.md", "grade: E4\n")

    mark = mark_of_grade(calls, cited=["/jonas.md"])

    assert mark.support == "written"
    assert support_text(mark) == "written to /jonas.md:1"


def test_a_written_value_counts_only_if_the_file_is_cited() -> None:
    calls = CallsOfTrial()
    calls.read_text("/jonas.md", "grade: E3\n")
    calls.write("/jonas.md", "grade: E4\n")

    mark = mark_of_grade(calls, cited=[])

    assert mark.support == "unverified"


def test_a_written_value_does_not_count_after_it_was_undone() -> None:
    calls = CallsOfTrial()
    calls.read_text("/jonas.md", "grade: E3\n")
    calls.write("/jonas.md", "grade: E4\n")
    calls.write("/jonas.md", "grade: E3\n")

    mark = mark_of_grade(calls, cited=["/jonas.md"])

    assert mark.support == "unverified"


def test_a_written_value_does_not_count_after_the_file_was_deleted() -> None:
    calls = CallsOfTrial()
    calls.read_text("/jonas.md", "grade: E3\n")
    calls.write("/jonas.md", "grade: E4\n")
    calls.delete("/jonas.md")

    mark = mark_of_grade(calls, cited=["/jonas.md"])

    assert mark.support == "unverified"
