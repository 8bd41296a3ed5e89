"""Gate 5 rejects a reason for a citation that only repeats the cited path.

A script cites files with reasons. `{"/docs/Loans.md": "see /docs/Loans.md"}` does not show that the
file was read. Nor does a part of the path, such as the week of `/results/week-07.csv`.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.citation_reasons.reason_verdicts import verdict_on_reason
from tests.gates.recorded_calls import CallsOfTrial


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/docs/Loans.md", "/docs/Loans.md"),
        ("/docs/Loans.md", "see /docs/Loans.md"),
        ("/docs/Loans.md", "Loans.md, Loans.md"),
        ("/docs/Loans.md", "/docs/./Loans.md"),
        ("/docs/Loans.md", "//docs//Loans.md, //docs//Loans.md"),
        ("/exports/list.txt", "see the list.txt"),
        ("/results/week-07.csv", "all results of week 7"),
    ],
)
def test_the_path_of_the_file_alone_is_rejected(path: str, reason: str) -> None:
    calls = CallsOfTrial()
    calls.read_text("/docs/Loans.md", "A loan runs 21 days.")
    calls.read_text("/results/week-07.csv", "home,guest,score\nAjo,Bel,3:1\n")
    calls.write("/exports/list.txt", "one line for the librarian")

    reason_verdict = verdict_on_reason(calls, path, reason)

    assert reason_verdict.result == "reject"
    assert path in reason_verdict.reason


@pytest.mark.parametrize("reason", ["/docs/./quagga.md", "quagga.md, see (quagga.md)"])
def test_the_path_alone_is_rejected_even_if_the_file_contains_a_word_of_it(
    reason: str,
) -> None:
    """The word "quagga" of the reason may come from the name of the file."""
    calls = CallsOfTrial()
    calls.read_text("/docs/quagga.md", "A quagga is no zebra.")

    reason_verdict = verdict_on_reason(calls, "/docs/quagga.md", reason)

    assert reason_verdict.result == "reject"
    assert "/docs/quagga.md" in reason_verdict.reason
