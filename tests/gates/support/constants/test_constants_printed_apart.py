"""A constant stays unverified, though the same script prints or keeps the number of rows as well.

rows = harness.read("/fees.txt").content.split()      # 3 rows
print(len(rows))                                      # 3
print(20 + 15)                                        # 35, which comes from no file
"""

from __future__ import annotations

import pytest

from tests.gates.support.scripts_that_read import mark_after_script

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
