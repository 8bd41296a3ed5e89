"""A number that an SQL query puts together from constants alone stays unverified.

The fees in a file are 300, 470 and 300, which makes 1070. A model could guess the sum, and let a
script query `select 500+570`. So the answer "All cost 1,070 EUR." needs a query of the file's fees.
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.sources import Source
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial import ScriptRun

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
