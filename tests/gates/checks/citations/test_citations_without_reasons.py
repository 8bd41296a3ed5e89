"""Gate 3: a solver without scripts cites by a list of paths alone.

A script cites with reasons, `{"/docs/Loans.md": "a loan runs 21 days"}`. A solver that is a program
of its own submits `["/docs/Loans.md"]`. For `["/docs/Loans.md", 7]` the gate says what is wrong:
"the number `7` is not a path".
"""

from __future__ import annotations

import pytest

from controlplane.gates.judging.conclusion import judge
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict
from tests.gates.checks.citations.citing_trial import calls_of_a_trial
from tests.gates.found_verdicts import verdict_of


def verdict_on_paths(refs: object) -> Verdict:
    """Return gate 3's verdict on the cited paths `refs` of a solver without scripts."""
    submission = Submission(answer="21 days", outcome="OUTCOME_OK", refs=refs)
    judgement = judge(submission, calls_of_a_trial().evidence, Case("How long?"))
    return verdict_of(judgement, 3)


@pytest.mark.parametrize(
    ("refs", "reason"),
    [
        ("/docs/Loans.md", "it must be a list of paths"),
        (["/docs/Loans.md", 7], "the number `7` is not a path"),
    ],
)
def test_citations_of_a_solver_without_scripts_must_be_a_list_of_paths(
    refs: object, reason: str
) -> None:
    citation_verdict = verdict_on_paths(refs)

    assert citation_verdict.result == "reject"
    assert reason in citation_verdict.reason


def test_an_empty_list_of_citations_passes() -> None:
    assert verdict_on_paths([]).result != "reject"
