"""Gate 4: a citation of a path that no call of the trial accessed is rejected.

A script cites files with reasons: `{"/docs/Loans.md": "a loan runs 21 days"}`. To see a file in the
listing of a folder is not to read it, so `/empty.txt` may not be cited here.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.citations.citing_trial import calls_of_a_trial
from tests.gates.found_verdicts import verdict_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/empty.txt", id="listed, not read"),
        pytest.param("/docs/Fees.md", id="not in the listing of its folder"),
        pytest.param("/bin/ship", id="tool that was not run"),
    ],
)
def test_a_citation_of_what_was_not_accessed_is_rejected(path: str) -> None:
    scratchpad = valid_scratchpad(refs_why={path: "21 days of loan"})

    judgement = judge_scratchpad(scratchpad, calls_of_a_trial())

    assert verdict_of(judgement, 4).result == "reject"
