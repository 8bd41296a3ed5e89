"""Gate 5 rejects a reason for a citation whose values and words are not in the cited file.

A script cites files with reasons. A model that has not read a file can only guess its content: "die
Ausleihe ist auf drei Wochen begrenzt" may be true, but the file says "A loan runs 21 days."
"""

from __future__ import annotations

import pytest

from tests.gates.checks.citation_reasons.reason_verdicts import verdict_on_reason
from tests.gates.recorded_calls import CallsOfTrial


@pytest.mark.parametrize(
    "reason",
    [
        pytest.param("invoice 4711 of the plumber", id="another number"),
        pytest.param("order 4711-x of the plumber", id="another id"),
        # The last two translate the file, but have no word of it.
        pytest.param("die Ausleihe ist auf drei Wochen begrenzt", id="German"),
        pytest.param("la durée du prêt est fixée ici", id="French"),
    ],
)
def test_what_a_text_does_not_contain_is_rejected(reason: str) -> None:
    calls = CallsOfTrial()
    calls.read_text(
        "/docs/Loans.md",
        "A loan runs 21 days. Books marked reserved cannot be renewed.",
    )

    reason_verdict = verdict_on_reason(calls, "/docs/Loans.md", reason)

    assert reason_verdict.result == "reject"
    assert "/docs/Loans.md" in reason_verdict.reason


@pytest.mark.parametrize("reason", ["b-999 is on this shelf", "b b b b b"])
def test_another_id_than_that_of_the_record_is_rejected(reason: str) -> None:
    """A single letter of the id `b-104` is not enough."""
    calls = CallsOfTrial()
    calls.read("/shelves/north side/b-104.json")

    reason_verdict = verdict_on_reason(calls, "/shelves/north side/b-104.json", reason)

    assert reason_verdict.result == "reject"
    assert "/shelves/north side/b-104.json" in reason_verdict.reason


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        pytest.param("/dull.txt", "a quagga would be here", id="whole file"),
        pytest.param("/part.txt", "a quagga was there", id="only its beginning"),
    ],
)
def test_a_word_that_was_not_seen_in_the_file_is_rejected(
    path: str, reason: str
) -> None:
    """Of the second file the trial has read only the beginning, and no quagga was in it."""
    calls = CallsOfTrial()
    calls.read_text("/dull.txt", "the data file")
    calls.read_text("/part.txt", "the data file", truncated=True)
    calls.read_text("/docs/quagga.md", "A quagga is no zebra.")

    reason_verdict = verdict_on_reason(calls, path, reason)

    assert reason_verdict.result == "reject"
    assert path in reason_verdict.reason
