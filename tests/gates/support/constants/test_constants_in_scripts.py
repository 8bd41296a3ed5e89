"""A script that knows the right number, and only writes it down, is no proof of it.

The fees in a file are 300, 470 and 300, which makes 1070. A model could guess that, or read it
elsewhere, and run `print(535 + 535)`: the answer "All cost 1,070 EUR." stays unverified then.
"""

from __future__ import annotations

import pytest

from tests.gates.support.scripts_that_read import mark_after_script


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
