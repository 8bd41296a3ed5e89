"""A number that an SQL query only puts together from constants is no proof of it.

The fees in a file are 300, 470 and 300, which makes 1070. A model could guess that, and let a
script query `select 500+570`: the answer "All cost 1,070 EUR." stays unverified then.
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial.script_runs import ScriptRun


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
        pytest.param(
            "print(harness.table('/fees.csv', sql=\"select unicode('Ю') + 5 x\").rows)",
            id="code of a letter in a query",
        ),
        pytest.param(
            "print(harness.table('/fees.csv', sql=\"select printf('%d%d', 9+1, 70)\").rows)",
            id="digits put together in a query",
        ),
        pytest.param("print((", id="a script that cannot be analysed"),
    ],
)
def test_a_number_from_constants_of_a_query_is_not_computed(script: str) -> None:
    """The script is only analysed here, as if it had printed 1070."""
    run = ScriptRun(script, printed="1070\n")
    marker = ValueMarker(
        [Source("/fees.csv", "fee\n300\n470\n300\n")], script_runs=[run]
    )

    (mark,) = marker.marks("All cost 1,070 EUR.")

    assert mark.support == "unverified"
