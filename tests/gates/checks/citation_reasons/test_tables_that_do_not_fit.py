"""Gate 5 rejects a reason for the citation of a table if its values and words are not in it.

A script cites files with reasons. A reason may count the rows of a table, "4 games were played",
but "14 games were played" is wrong, and "four" is a word that is in no row.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.citation_reasons.reason_verdicts import verdict_on_reason
from tests.gates.recorded_calls import CallsOfTrial


@pytest.mark.parametrize(
    "reason",
    [
        "14 games were played",
        "four games were played",
        "the latest of the week",
        "the dates of signing",
    ],
)
def test_what_a_table_does_not_contain_is_rejected(reason: str) -> None:
    calls = CallsOfTrial()
    calls.read_text(
        "/results/week-07.csv",
        "home,guest,score\nAjo,Bel,3:1\nCor,Dax,0:0\nEsk,Fio,2:2\nGil,Hub,1:4\n",
    )

    reason_verdict = verdict_on_reason(calls, "/results/week-07.csv", reason)

    assert reason_verdict.result == "reject"
    assert "/results/week-07.csv" in reason_verdict.reason
