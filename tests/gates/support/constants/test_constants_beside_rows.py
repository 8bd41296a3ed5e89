"""A constant is not computed from what a script has read, though it is printed beside that.

    rows = harness.read("/fees.txt").content.split()      # 3 rows
    print(len(rows), 20 + 15)                             # 3 35

`len(rows)` is computed; 35 is made of constants, and stays unverified.
"""

from __future__ import annotations

import pytest

from tests.gates.support.scripts_that_read import mark_after_script

# The beginning of scripts: three rows, of which none has a 35.
ROWS = 'rows = harness.read("/fees.txt").content.split()\n'
FILES = {"/fees.txt": "300\n470\n300\n"}


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
    mark = mark_after_script(ROWS + script_end, FILES, answer="All cost 35 EUR.")

    assert mark.support == "unverified"


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
    """Each script prints 35: the constant 32 and the 3 rows, or a constant and 0 times the rows."""
    mark = mark_after_script(ROWS + script_end, FILES, answer="All cost 35 EUR.")

    assert mark.support == "unverified"


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
    mark = mark_after_script(ROWS + script_end, FILES, answer="All cost 35 EUR.")

    assert mark.support == "unverified"
