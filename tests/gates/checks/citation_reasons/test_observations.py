"""Gate 5 accepts the reason for a citation if it says something true of the whole file.

A script cites files with reasons. A reason may count the rows of a table ("4 games were played"),
or name something that the file does not have ("nothing about b-999"). The gate checks it.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.citation_reasons.reason_verdicts import verdict_on_reason
from tests.gates.recorded_calls import CallsOfTrial


def test_the_count_of_its_rows_justifies_the_citation_of_a_table() -> None:
    calls = CallsOfTrial()
    calls.read_text(
        "/results/week-07.csv",
        "home,guest,score\nAjo,Bel,3:1\nCor,Dax,0:0\nEsk,Fio,2:2\nGil,Hub,1:4\n",
    )

    reason_verdict = verdict_on_reason(
        calls, "/results/week-07.csv", "4 games were played"
    )

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


def test_that_a_file_has_no_lines_justifies_its_citation() -> None:
    calls = CallsOfTrial()
    calls.read_text("/empty.txt", "")

    reason_verdict = verdict_on_reason(calls, "/empty.txt", "is empty, no lines")

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


@pytest.mark.parametrize(
    "reason",
    [
        "no row for b-999 in this log",
        "nothing about b-999",
        "Die Küste does not appear, nothing about `Harbour`",
    ],
)
def test_what_the_file_really_does_not_contain_justifies_its_citation(
    reason: str,
) -> None:
    """An answer such as "b-999 was never lent" is based on what the log does not have."""
    calls = CallsOfTrial()
    calls.read_text("/logs/lent.tsv", "row\tbook\n7\tb-104\n8\tb-105\n")

    reason_verdict = verdict_on_reason(calls, "/logs/lent.tsv", reason)

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""
