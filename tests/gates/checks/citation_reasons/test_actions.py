"""Gate 5 accepts the reason for a citation if it says what the script did to the cited path.

A script cites files and programs with reasons. If it ran, wrote or deleted them, the reason may say
so: `{"/tmp/old.txt": "deleted on request"}`.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.citation_reasons.reason_verdicts import verdict_on_reason
from tests.gates.recorded_calls import CallsOfTrial


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/bin/query", "query was executed to find it"),
        ("/bin/ship", "executed to ship the book"),
        ("/exports/list.txt", "written as the export"),
        ("/exports/list.txt", "file I created"),
        ("/tmp/old.txt", "deleted on request"),
    ],
)
def test_what_the_trial_did_justifies_a_citation(path: str, reason: str) -> None:
    calls = CallsOfTrial()
    calls.run("/bin/query", "select", stdout="b-104 lent on 2031-05-04")
    calls.run("/bin/ship", "b-104", stdout="shipped")
    calls.write("/exports/list.txt", "one line for the librarian")
    calls.delete("/tmp/old.txt")

    reason_verdict = verdict_on_reason(calls, path, reason)

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


def test_words_that_the_trial_wrote_into_the_file_itself_are_rejected() -> None:
    """They prove nothing: the script may have made them up."""
    calls = CallsOfTrial()
    calls.write("/exports/list.txt", "one line for the librarian")

    reason_verdict = verdict_on_reason(
        calls, "/exports/list.txt", "a fresh file for the librarian"
    )

    assert reason_verdict.result == "reject"
    assert "/exports/list.txt" in reason_verdict.reason
