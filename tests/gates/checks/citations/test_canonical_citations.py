"""Gates 3 to 5: a citation passes if it has its canonical form and cites what was read or run.

A script cites with reasons: `refs_why = {"/docs/Loans.md": "a loan runs 21 days"}`. Gate 3 rejects
another form of the path, gate 4 what the trial has not read, and gate 5 an empty reason.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.citations.citing_trial import calls_of_a_trial
from tests.gates.found_verdicts import verdict_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad


@pytest.mark.parametrize(
    "refs",
    [
        pytest.param({}, id="none"),
        pytest.param(
            {"/shelves/north side/b-104.json": "b-104 has 3 copies"},
            id="path with a blank",
        ),
        pytest.param({"/docs/Loans.md": "21 days."}, id="reason of 8 characters"),
        pytest.param(
            {
                "/logs/lent.tsv#row=7": "row 7 is b-104",
                "/logs/lent.tsv#row=8": "row 8 is b-105",
            },
            id="two rows of a file",
        ),
        pytest.param({"/bin/query": "query output b-104"}, id="tool that was run"),
        pytest.param(
            {"/bin/query": "ran the query for b-104", "/docs/Loans.md": "runs 21 days"},
            id="tool and file",
        ),
    ],
)
def test_canonical_citations_of_what_was_read_pass(refs: dict[str, str]) -> None:
    judgement = judge_scratchpad(valid_scratchpad(refs_why=refs), calls_of_a_trial())

    for gate in (3, 4, 5):
        assert verdict_of(judgement, gate).result != "reject", judgement.message
