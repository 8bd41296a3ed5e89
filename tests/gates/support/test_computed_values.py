"""Whether a value of an answer was computed from what was read.

A script may print the sum of a column, which no file states. The answer's "1,070 EUR" is then
marked as computed, with its expression and its files. Numbers that a script only writes down, as in
`print(535 + 535)`, are in `test_script_constants.py`.
"""

from __future__ import annotations

import re

import pytest

from controlplane.gates.support.sources.places import UNKNOWN_NUMBERS, LineNumbers
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.support_texts import support_text
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial.script_runs import ScriptRun
from tests.gates.support.marked_answers import only_mark_of
from tests.gates.support.printed_totals import (
    SUM_FEES,
    mark_of_total,
    run_script,
    run_that_printed,
)


class TestPrintedTotals:
    """A value is `computed` if a script made it from what it read.

    The fees in `/loans.csv` are 300, 470 and 300. Each script prints their sum, 1070, which no
    file states. Its usual beginning, `SUM_FEES`, reads the file:

        rows = list(csv.DictReader(harness.read("/loans.csv").content.splitlines()))
        total = sum(int(row["fee_eur"]) for row in rows)
    """

    @pytest.mark.parametrize(
        ("script", "printed"),
        [
            pytest.param(SUM_FEES + "print(total)", "1070", id="sum"),
            pytest.param(
                SUM_FEES + "print(f'{total:,} in all')",
                "1,070 in all",
                id="formatted sum",
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
            pytest.param(
                "print(470 + 300 + 300)", "1070", id="numbers that files state"
            ),
        ],
    )
    def test_a_value_computed_from_what_was_read_is_marked_so(
        self, script: str, printed: str
    ) -> None:
        """Each script prints 1070, the sum of the fees in `/loans.csv`: 300, 470 and 300.

        `SUM_FEES` reads the file: `total = sum(int(row["fee_eur"]) for row in rows)`. A value is
        marked `computed` if it depends on what was read, and else as `unverified`.
        """
        mark = mark_of_total(run_that_printed(script, printed))

        assert mark.support == "computed"


class TestOtherComputedValues:
    """A computed value need not be a sum, and need not be printed.

    A script may store its result in the dictionary `scratchpad`, from which the answer is
    submitted, or count what it has read.
    """

    def test_a_computed_value_may_be_stored_instead_of_printed(self) -> None:
        """Scripts store results in the dictionary `scratchpad`, for later scripts and the
        answer."""
        run = ScriptRun(SUM_FEES + "scratchpad['x'] = total", stored={"x": "1070"})

        mark = mark_of_total(run)

        assert mark.support == "computed"

    def test_a_count_is_computed_from_what_is_counted(self) -> None:
        """The number is computed from the lines of `/long.md`, although the script only adds
        ones."""
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


# The beginning of scripts that define `total` and `big`, as below.
COUNT_BIG_FEES = (
    SUM_FEES + "big = sum(1 for row in rows if int(row['fee_eur']) > 8000)\n"
)


class TestTotalsBesideConstants:
    """A constant in a script takes nothing from the values beside it.

    Each script begins with two values that are computed from the rows of `/loans.csv`:

        total = sum(int(row["fee_eur"]) for row in rows)
        big = sum(1 for row in rows if int(row["fee_eur"]) > 8000)

    No file states 8000, so `big` is unverified. `total` is computed from the files alone, 1070,
    and stays so when a script prints or stores the two together.
    """

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
            pytest.param(
                "print(f'{big} above')\nprint('total', total)", id="both printed"
            ),
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
        self, script_end: str
    ) -> None:
        run = run_script(COUNT_BIG_FEES + script_end)

        mark = mark_of_total(run)

        assert mark.support == "computed"


class TestNotesOfComputedValues:
    """The note beside a computed value shows where it comes from.

    It names the expression, and the files or rows that it was computed from, such as
    `= sum(fees), from 3 rows of /stock.csv, lines 4, 9, 12`. A person checks the value by it.
    """

    def test_a_computed_value_names_its_rows(self) -> None:
        """The script reads the rows of kind `a`, and prints the sum of their fees, 1070."""
        script = (
            "fees = harness.table('/stock.csv', where=\"kind = 'a'\").rows\n"
            "print(sum(fees))"
        )
        # Where the heading and the three rows, which the query has found, stand in the file.
        line_numbers = LineNumbers((1, 4, 9, 12))
        heading_and_rows = Source(
            "/stock.csv", "item,kind,fee\nx,a,300\ny,a,470\nz,a,300", line_numbers
        )
        run = run_that_printed(script, "1070")
        marker = ValueMarker([heading_and_rows], script_runs=[run])

        [mark] = marker.marks("All cost 1,070 EUR.")

        note = support_text(mark)
        assert note == "= sum(fees), from 3 rows of /stock.csv, lines 4, 9, 12"

    def test_the_note_shows_how_a_printed_variable_was_computed(self) -> None:
        """The script prints "1,070 in all". The note shows how `total` was computed, `sum(...)`,
        and not the text in which it was printed."""
        sum_fees = (
            "rows = list(csv.DictReader(harness.read('/loans.csv').content.splitlines()))\n"
            "total = sum(int(row['fee_eur']) for row in rows)\n"
        )
        run = run_that_printed(sum_fees + "print(f'{total:,} in all')", "1,070 in all")

        note = support_text(mark_of_total(run))

        assert "sum(" in note
        assert "in all" not in note

    def test_a_value_of_a_query_shows_the_query(self) -> None:
        """The sum was computed by a query of the table, whose result is the number itself."""
        script = "print(harness.table('/loans.csv', columns='sum(fee_eur) s').rows)"
        # The sum stands in no line of the file.
        query_result = Source("/loans.csv", "s\n1070", UNKNOWN_NUMBERS)
        run = run_that_printed(script, "1070")
        marker = ValueMarker(
            sources=[], script_runs=[run], query_results=[query_result]
        )

        [mark] = marker.marks("All cost 1,070 EUR.")

        note = support_text(mark)
        assert note == "= harness.table('/loans.csv', columns='sum(fee_eur) s')"


class TestFilesInNotes:
    """The note beside a computed value names its files.

    A person who checks the value looks into these files. So the note names them in the same
    order each time that the trial is judged.
    """

    def test_a_computed_value_names_its_files_in_the_same_order_in_each_run(
        self,
    ) -> None:
        """The sum depends on six files: what five of them state is added to lists of the sixth one.
        The script is only analysed here, and not run.

        If the note took the files from a Python set, their order would differ from process to
        process."""
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

        # The five files are in reverse alphabetical order, and the one that they are added to is
        # last.
        file_names = re.findall(r"/(\w+)\.", mark.note)
        assert file_names == ["west", "south", "north", "hills", "east", "regions"]
