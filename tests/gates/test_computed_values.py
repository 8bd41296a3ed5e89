"""Whether a value of an answer was computed from what was read.

A script may print the sum of a column, which no file states. The answer's "1,070 EUR" is then
marked as computed, with its expression and its files. A number that a script only writes down,
such as `print(535 + 535)`, is not computed from anything and stays unverified.
"""

from __future__ import annotations

import contextlib
import io
import re
from types import SimpleNamespace

import pytest

from controlplane.gates.support.marks import Mark
from controlplane.gates.support.sources.places import UNKNOWN_NUMBERS, LineNumbers
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.support_texts import support_text, unverified_in
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial.script_runs import ScriptRun
from tests.gates.marked_answers import LIBRARY_FILES, marks_of, only_mark_of

TOTAL_ANSWER = "All cost 1,070 EUR."
"""The sum of the three fees in `/loans.csv`, 300, 470 and 300. No file states it."""

# The beginnings of the scripts below: they define `rows`, the three loans, then `total`, the sum of
# the fees, and then `big`, the number of fees above 8000, which is 0.
READ_ROWS = """\
import csv
rows = list(csv.DictReader(harness.read("/loans.csv").content.splitlines()))
"""
SUM_FEES = READ_ROWS + 'total = sum(int(row["fee_eur"]) for row in rows)\n'
COUNT_BIG_FEES = (
    SUM_FEES + "big = sum(1 for row in rows if int(row['fee_eur']) > 8000)\n"
)


def run_that_printed(script: str, printed: str) -> ScriptRun:
    """Return the record of a script, as if it had been run, and what it printed."""
    return ScriptRun(script, f"{printed}\n")


def mark_of_total(run: ScriptRun) -> Mark:
    """Return the mark of the amount in "All cost 1,070 EUR.", after the run of one script."""
    return only_mark_of(TOTAL_ANSWER, script_runs=[run])


# Values that a script computes from what it read
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        pytest.param(SUM_FEES + "print(total)", "1070", id="sum"),
        pytest.param(
            SUM_FEES + "print(f'{total:,} in all')", "1,070 in all", id="formatted sum"
        ),
        pytest.param(
            SUM_FEES + "print('=' * 20)\nprint(total)",
            "====================\n1070",
            id="below a line of signs",
        ),
        pytest.param(
            SUM_FEES + "for n in range(2):\n    print('=' * 20)\n    print(total)",
            "====================\n1070\n====================\n1070",
            id="in a loop",
        ),
        pytest.param(
            SUM_FEES
            + "def verify(sp):\n    return '1,070' in sp['answer']\nprint(total)",
            "1070",
            id="beside a function with the same number",
        ),
        pytest.param(
            "fees = harness.table('/loans.csv', columns='sum(fee_eur) s').rows\n"
            "print(fees)",
            "1070",
            id="sum of a query",
        ),
        pytest.param("print(470 + 300 + 300)", "1070", id="numbers that files state"),
    ],
)
def test_a_value_computed_from_what_was_read_is_marked_so(
    script: str, printed: str
) -> None:
    """Each script prints 1070, the sum of the fees in `/loans.csv`: 300, 470 and 300.

    `SUM_FEES` reads the file: `total = sum(int(row["fee_eur"]) for row in rows)`. A value is
    marked `computed` if it depends on what was read, and else as `unverified`.
    """
    mark = mark_of_total(run_that_printed(script, printed))

    assert mark.support == "computed"


def test_a_computed_value_may_be_stored_instead_of_printed() -> None:
    """Scripts store results in the dictionary `scratchpad`, for later scripts and the answer."""
    run = ScriptRun(SUM_FEES + "scratchpad['x'] = total", stored={"x": "1070"})

    mark = mark_of_total(run)

    assert mark.support == "computed"


class ReadableFiles:
    """The object `harness` of the scripts below, by which they read the library's files."""

    def read(self, path: str) -> SimpleNamespace:
        return SimpleNamespace(content=LIBRARY_FILES[path])

    def earlier(self) -> dict[str, int]:
        """Return what an earlier script kept: its own words, not evidence."""
        return {"total": 1070}


def run_script(script: str) -> ScriptRun:
    """Run a script with a `harness` that reads the library's files.

    Returns the script with what it printed, and with what it stored in `scratchpad`.
    """
    scratchpad: dict[str, object] = {}
    printed = io.StringIO()
    names = {
        "harness": ReadableFiles(),
        "scratchpad": scratchpad,
        "console": SimpleNamespace(log=print),
    }
    with contextlib.redirect_stdout(printed):
        exec(script, names)
    return ScriptRun(script, printed.getvalue(), scratchpad)


@pytest.mark.parametrize(
    "script_end",
    [
        pytest.param(
            "scratchpad['answer'] = f'All cost {total:,} EUR.'\nprint(rows, big)",
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
        pytest.param(
            "for row in rows:\n    print(row, big)\nprint('total:', total)",
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
    ],
)
def test_a_total_is_computed_though_a_value_beside_it_depends_on_a_constant(
    script_end: str,
) -> None:
    """The scripts print or store two values together, of which only one depends on a constant:

        total = sum(int(row["fee_eur"]) for row in rows)
        big = sum(1 for row in rows if int(row["fee_eur"]) > 8000)

    No file states 8000, so `big` is unverified. `total` is computed from the files alone.
    """
    run = run_script(COUNT_BIG_FEES + script_end)

    mark = mark_of_total(run)

    assert mark.support == "computed"


def test_a_count_is_computed_from_what_is_counted() -> None:
    """The number is computed from the lines of `/long.md`, although the script only adds ones."""
    script = (
        "lines = harness.read('/long.md').content.splitlines()\n"
        "n = 0\n"
        "for line in lines:\n"
        "    if line:\n"
        "        n += 1\n"
        "print(n)"
    )
    run = run_that_printed(script, "35")

    mark = only_mark_of("It has 35 lines.", script_runs=[run])

    assert mark.support == "computed"
    assert "/long.md" in mark.note


# Constants that look computed
# --------------------------------------------------------------------------------------------------------------


def assert_35_is_unverified(script_end: str) -> None:
    """Assert that "All cost 35 EUR." is unverified after a script that prints or stores 35.

    The script begins with `rows = list(csv.DictReader(...))`, which are three loans. No loan has a
    35: `script_end` makes it of constants of its own.
    """
    run = run_script(READ_ROWS + script_end)

    mark = only_mark_of("All cost 35 EUR.", script_runs=[run])

    assert mark.support == "unverified"


@pytest.mark.parametrize(
    "script_end",
    [
        "n = 0\nfor row in rows:\n    n += 1\nprint(f'{n}5')",
        "print(str(len(rows)) + '5')",
        "print(f'{len(rows)}{5}')",
        "print(len(rows), end='')\nprint(5)",
    ],
)
def test_a_constant_put_behind_a_count_is_not_computed(script_end: str) -> None:
    """Each script prints the number of rows, 3, and then the constant 5: `35`."""
    assert_35_is_unverified(script_end)


@pytest.mark.parametrize(
    "script_end",
    [
        "print(len(rows) + 32, sep='')",
        "print(len(rows) * 0 + int('z', 36))",  # `z` is the digit 35
        "print(len(rows) * 0 + ord('#'))",  # `#` has the code 35
        # 1070 - 1035. What an earlier script kept is its own words, and not evidence.
        "print(harness.earlier()['total'] - 1035 + len(rows) * 0)",
    ],
)
def test_a_number_that_depends_on_the_rows_only_seemingly_is_not_computed(
    script_end: str,
) -> None:
    """`len(rows)` is 3. The first script adds a constant that makes it 35. The others print 35, and
    add nothing to it: 0 times the number of rows."""
    assert_35_is_unverified(script_end)


@pytest.mark.parametrize(
    "script_end",
    [
        "console.log(len(rows))\nconsole.log(sum([20, 15]))",
        "print(len(rows))\nprint(f'x\\n{20 + 15}')",
        "def say(text):\n    print(text)\nsay(len(rows))\nsay(20 + 15)",
        "say = print\nsay(20 + 15)\nprint(len(rows))",
        "list(map(print, [len(rows), 20 + 15]))",
        "print(len(rows))\nscratchpad.update(x=20 + 15)",
    ],
)
def test_a_constant_printed_beside_a_count_is_not_computed(script_end: str) -> None:
    """Each script prints the number of rows, which was read, and prints or stores 20 + 15."""
    assert_35_is_unverified(script_end)


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
    """A method or function that changes the list, mapping or object puts 20 + 15 into it. Then the
    script prints the content, and the number of rows."""
    assert_35_is_unverified(script_end)


@pytest.mark.parametrize(
    "script_end",
    [
        "match 20 + 15:\n    case n:\n        print(n, len(rows))",
        # The function is defined more often than definitions are followed.
        "def same(x):\n    return x\n" * 11 + "print(same(20 + 15), len(rows))",
        "functions = {'a': lambda x: x}\nprint(functions['a'](20 + 15), len(rows))",
        "try:\n"
        "    raise ValueError(20 + 15)\n"
        "except ValueError as e:\n"
        "    print(e, len(rows))",
    ],
)
def test_a_constant_that_takes_a_detour_is_not_computed(script_end: str) -> None:
    """The script prints 20 + 15 as the value of a pattern, a function or an exception, beside the
    number of rows."""
    assert_35_is_unverified(script_end)


def test_what_an_object_of_the_script_called_harness_returns_is_not_computed() -> None:
    """The script replaces `harness`, by which scripts read files, by an object of its own."""
    assert_35_is_unverified(
        "class Mine:\n"
        "    def read(self, path):\n"
        "        return 35\n"
        "harness = Mine()\n"
        "print(harness.read('/loans.csv'))"
    )


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("print(1070)", id="number"),
        pytest.param("print(535 + 535)", id="sum of two constants"),
        pytest.param("print(sum([1000, 70]))", id="sum of a list"),
        pytest.param("print(int('tq', 36))", id="number in base 36"),
        pytest.param(
            "print(harness.earlier()['total'])", id="number of an earlier script"
        ),
        pytest.param(
            SUM_FEES + "print(total + 711 - 711)", id="constants beside the total"
        ),
        pytest.param("print((", id="syntax error"),
        pytest.param(
            "print(harness.table('/loans.csv', sql='select 500+570 x from t').rows)",
            id="sum in a query",
        ),
        pytest.param(
            "print(harness.table('/loans.csv', sql='select 535 * 2 x from t').rows)",
            id="product in a query",
        ),
        pytest.param(
            "print(harness.table('/loans.csv', sql=\"select unicode('Ю') + 5 x\").rows)",
            id="code of a letter in a query",
        ),
        pytest.param(
            "print(harness.table('/loans.csv', sql=\"select printf('%d%d', 9+1, 70)\").rows)",
            id="digits put together in a query",
        ),
    ],
)
def test_a_number_from_constants_alone_is_not_computed(script: str) -> None:
    """Each script prints 1070, but computes it from constants of its own, and not from what it
    read. `total` in one of them is the sum of the fees that were read."""
    mark = mark_of_total(run_that_printed(script, "1070"))

    assert mark.support == "unverified"


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(
            run_that_printed("print('1,070')", "1,070"), id="printed with a comma"
        ),
        pytest.param(
            run_that_printed(
                READ_ROWS + "print(len(rows))\nprint(sum([1000, 70]))", "3\n1070"
            ),
            id="printed below a count",
        ),
        pytest.param(
            ScriptRun("scratchpad['x'] = str(535 + 535)", stored={"x": "1070"}),
            id="stored",
        ),
    ],
)
def test_a_number_from_constants_is_not_computed_however_it_is_shown(
    run: ScriptRun,
) -> None:
    """The scripts compute 1070 from constants, and print it in another form or store it."""
    mark = mark_of_total(run)

    assert mark.support == "unverified"


# What the note beside a computed value says
# --------------------------------------------------------------------------------------------------------------


def test_a_computed_value_names_its_rows() -> None:
    """The script sums the fees of the rows of kind `a`, 300, 470 and 300, which stand in the lines 4,
    9 and 12 of the file."""
    script = (
        "fees = harness.table('/stock.csv', where=\"kind = 'a'\").rows\n"
        "print(sum(fees))"
    )
    heading_and_rows = Source(
        "/stock.csv",
        "item,kind,fee\nx,a,300\ny,a,470\nz,a,300",
        LineNumbers((1, 4, 9, 12)),
    )
    run = run_that_printed(script, "1070")
    marker = ValueMarker([heading_and_rows], script_runs=[run])

    [mark] = marker.marks("All cost 1,070 EUR.")

    note = support_text(mark)
    assert note == "= sum(fees), from 3 rows of /stock.csv, lines 4, 9, 12"


def test_a_computed_value_shows_the_expression_behind_a_name_in_a_text() -> None:
    """The script prints the variable `total` within the text "1,070 in all". The note shows how
    `total` was computed, `sum(...)`, and not the text."""
    run = run_that_printed(SUM_FEES + "print(f'{total:,} in all')", "1,070 in all")

    note = support_text(mark_of_total(run))

    assert "sum(" in note
    assert "in all" not in note


def test_a_computed_value_names_its_files_in_the_same_order_in_each_run() -> None:
    """The sum depends on six files: what five of them state is added to lists of the sixth one. The
    script is only analysed here, and not run.

    If the note took the files from a Python set, their order would differ from process to process.
    """
    script = """\
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
"""

    mark = mark_of_total(run_that_printed(script, "1070"))

    # The five files are in reverse alphabetical order, and the one that they are added to is last.
    file_names = re.findall(r"/(\w+)\.", mark.note)
    assert file_names == ["west", "south", "north", "hills", "east", "regions"]


def test_a_value_of_a_query_shows_the_query() -> None:
    """The sum was computed by a query of the table, whose result is the number itself."""
    script = "print(harness.table('/loans.csv', columns='sum(fee_eur) s').rows)"
    query_result = Source("/loans.csv", "s\n1070", UNKNOWN_NUMBERS)
    run = run_that_printed(script, "1070")
    marker = ValueMarker(sources=[], script_runs=[run], query_results=[query_result])

    [mark] = marker.marks("All cost 1,070 EUR.")

    note = support_text(mark)
    assert note == "= harness.table('/loans.csv', columns='sum(fee_eur) s')"


# Arithmetic that the answer itself spells out
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        "Fees: 300 + 470 = 770 EUR",
        "770 EUR: 300 EUR for L-01 and 470 EUR for L-02",
        "From 2026-03-01 to 2026-05-09, 69 days.",
        "It opens at 09:30 and closes 630 minutes later, at 20:00.",
    ],
)
def test_arithmetic_in_the_answer_computes_its_result(answer: str) -> None:
    """The files state 300, 470, both dates and both times, and the question states 630. From these,
    each answer computes its result: 770, 69 or 20:00. So none of its values is unverified."""
    marks = marks_of(answer, question="How many minutes, 630?")

    assert unverified_in(marks) == []


def test_the_operands_of_a_percentage_are_found() -> None:
    """The answer computes 63.83 % from 300 and 470, which the files state. It also has the
    percentage once before, without operands. There it may be marked as unverified or not."""
    answer = "L-01 is 63.83 % cheaper than... 300 of 470 EUR (63.83 %)"

    marks = marks_of(answer)

    assert set(unverified_in(marks)) <= {"63.83"}


def test_arithmetic_with_an_unsupported_operand_computes_nothing() -> None:
    """No file states 471, so the sum is not supported either."""
    marks = marks_of("Fees: 300 + 471 = 771 EUR")

    assert unverified_in(marks) == ["471", "771"]


def test_a_sum_in_kilograms_supports_its_rounded_weight_but_no_percentage() -> None:
    """The sum of 13.9 kg and 12.0 kg is rounded to 26 kg. The same number with another unit, 26 %,
    does not come from the sum."""
    marker = ValueMarker([Source("/a.md", "It is 13.9 kg, and 12.0 kg.\n")])
    answer = "13.9 kg + 12.0 kg = 25.9 kg: about 26 kg, and not 26 %."

    *_, weight_mark, percentage_mark = marker.marks(answer)

    assert weight_mark.value.unit == "kg"
    assert weight_mark.support == "computed"
    assert percentage_mark.value.unit == "%"
    assert percentage_mark.support == "unverified"
