"""Gate 1."""

import pytest

from gates import Case, Submission, judge
from gates.types import Evidence
from tests.gates.sample_trials import Verify, judged, pad, verdict


@pytest.mark.parametrize(
    ("verify", "named"),
    [(Verify(is_callable=False), "not a function"), (Verify(takes_one_argument=False), "one argument")],
)
def test_an_answer_without_a_usable_verify_is_rejected(verify: Verify, named: str) -> None:
    found = verdict(judged(pad(), verify=verify), 1)
    assert found.result == "reject"
    assert named in found.reason
    assert "def verify(sp)" in found.reason


def test_a_missing_probe_of_a_script_is_rejected() -> None:
    submission = Submission(answer="x", outcome="OUTCOME_OK", from_script=True)
    assert verdict(judge(submission, Evidence(), Case("x")), 1).result == "reject"


def test_it_does_not_apply_to_an_answer_from_elsewhere() -> None:
    submission = Submission(answer="x", outcome="OUTCOME_OK")
    assert verdict(judge(submission, Evidence(), Case("x")), 1).result == "not_applicable"
