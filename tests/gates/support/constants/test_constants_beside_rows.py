"""A constant stays unverified, though a script prints it beside what it has computed from rows.

    rows = harness.read("/fees.txt").content.split()      # 3 rows
    print(len(rows), 20 + 15)                             # 3 35

The number of rows is computed from a file, and may stand in an answer. The 35 comes from no file.
"""

from __future__ import annotations

import pytest

from tests.gates.support.scripts_that_read import mark_after_script

# Every script begins with this line. The three rows have no 35.
READ_ROWS = 'rows = harness.read("/fees.txt").content.split()\n'
FILES = {"/fees.txt": "300\n470\n300\n"}


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
    mark = mark_after_script(READ_ROWS + print_number, FILES, answer="All cost 35 EUR.")

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
    mark = mark_after_script(READ_ROWS + print_number, FILES, answer="All cost 35 EUR.")

    assert mark.support == "unverified"
