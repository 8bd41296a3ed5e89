"""A number that a script only writes down is not computed, however the script hides that.

A value of an answer is `computed` if a script made it from what it read, and `unverified` if
nothing supports it. A model could write `print(535 + 535)` and then claim 1,070, or print its
constant beside a number that was read. Such a value stays unverified.
"""

from __future__ import annotations

import pytest

from controlplane.gates.trial.script_runs import ScriptRun
from tests.gates.support.marked_answers import only_mark_of
from tests.gates.support.printed_totals import (
    READ_ROWS,
    SUM_FEES,
    mark_of_total,
    run_script,
    run_that_printed,
)


def assert_35_is_unverified(script_end: str) -> None:
    """Assert that "All cost 35 EUR." is unverified after a script that prints or stores 35.

    The script begins with `rows = list(csv.DictReader(...))`, which are three loans. No loan has a
    35: `script_end` makes it of constants of its own.
    """
    run = run_script(READ_ROWS + script_end)

    mark = only_mark_of("All cost 35 EUR.", script_runs=[run])

    assert mark.support == "unverified"


class TestConstantsBesideRows:
    """A script that reads a file may still print a constant of its own.

    Each script begins with `rows = list(csv.DictReader(...))`, which are three loans, and ends
    with a print or store of 35, which no loan has. The script made it of constants, such as 20 +
    15. So 35 is not `computed`, the mark of a value that derives from what was read.
    """

    @pytest.mark.parametrize(
        "script_end",
        [
            "n = 0\nfor row in rows:\n    n += 1\nprint(f'{n}5')",
            "print(str(len(rows)) + '5')",
            "print(f'{len(rows)}{5}')",
            "print(len(rows), end='')\nprint(5)",
        ],
    )
    def test_a_constant_put_behind_a_count_is_not_computed(
        self, script_end: str
    ) -> None:
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
        self, script_end: str
    ) -> None:
        """`len(rows)` is 3. The first script adds a constant that makes it 35. The others print 35,
        and add nothing to it: 0 times the number of rows."""
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
    def test_a_constant_printed_beside_a_count_is_not_computed(
        self, script_end: str
    ) -> None:
        """Each script prints the number of rows, which was read, and prints or stores 20 + 15."""
        assert_35_is_unverified(script_end)


class TestConstantsOnDetours:
    """A constant stays a constant on its way through objects and functions.

    Each script begins with `rows`, the three loans of a file, and makes 35 of the constants 20
    and 15. It is printed beside `len(rows)`, which was read, and is unverified all the same.
    """

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
        self, script_end: str
    ) -> None:
        """A method or function that changes the list, mapping or object puts 20 + 15 into it. Then
        the script prints the content, and the number of rows."""
        assert_35_is_unverified(script_end)

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
    def test_a_constant_that_takes_a_detour_is_not_computed(
        self, script_end: str
    ) -> None:
        """The script prints 20 + 15 as the value of a pattern, a function or an exception, beside
        the number of rows."""
        assert_35_is_unverified(script_end)

    def test_what_an_object_of_the_script_called_harness_returns_is_not_computed(
        self,
    ) -> None:
        """The script replaces `harness`, by which scripts read files, by an object of its own."""
        assert_35_is_unverified(
            "class Mine:\n"
            "    def read(self, path):\n"
            "        return 35\n"
            "harness = Mine()\n"
            "print(harness.read('/loans.csv'))"
        )


class TestNumbersFromConstantsAlone:
    """A script that knows the right sum is no proof of it.

    The fees in `/loans.csv` add up to 1070. Each script prints this number, but makes it of
    constants. So 1,070 EUR in its answer is not `computed`, the mark of a value that derives from
    what was read, but `unverified`.
    """

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
    def test_a_number_from_constants_alone_is_not_computed(self, script: str) -> None:
        """Each script prints 1070, but computes it from constants of its own, and not from what it
        read. `total` in one of them is the sum of the fees that were read."""
        mark = mark_of_total(run_that_printed(script, "1070"))

        assert mark.support == "unverified"


class TestShownConstants:
    """It does not matter in which form a script shows a constant.

    Each script makes 1070 of constants, and prints it with a comma, prints it below a number
    that was read, or stores it in `scratchpad` for the answer.
    """

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
        self, run: ScriptRun
    ) -> None:
        """The scripts compute 1070 from constants, and print it in another form or store it."""
        mark = mark_of_total(run)

        assert mark.support == "unverified"
