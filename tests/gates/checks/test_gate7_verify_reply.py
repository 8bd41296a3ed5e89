"""Gate 7."""

import pytest

from gates import Case, Submission, judge
from gates.types import Evidence
from tests.gates.sample_trials import Reply, Verify, judged, pad, verdict


@pytest.mark.parametrize(
    ("verify", "named"),
    [
        (Verify(as_submitted=Reply(False)), "did not return True"),
        (Verify(as_submitted=Reply(False, "KeyError: 'total'")), "KeyError: 'total'"),
        (Verify(as_submitted=Reply(True, "time-out after 5 s")), "time-out after 5 s"),
        (Verify(blanked=Reply(True)), "checks nothing"),
    ],
)
def test_a_verify_that_does_not_vouch_for_this_answer_is_rejected(verify: Verify, named: str) -> None:
    found = verdict(judged(pad(), verify=verify), 7)
    assert found.result == "reject"
    assert named in found.reason


def test_it_does_not_apply_where_no_script_or_no_verify_is() -> None:
    verify = Verify(as_submitted=Reply(False))
    elsewhere = Submission(answer="x", outcome="OUTCOME_OK", probe=verify)
    missing = Submission(answer="x", outcome="OUTCOME_OK", from_script=True)
    for submission in (elsewhere, missing):
        found = judge(submission, Evidence(), Case("x"), switched_on=frozenset({7}))
        assert verdict(found, 7).result == "not_applicable"
    assert verify.asked == []


@pytest.mark.parametrize("blanked", [Reply(False), Reply(False, "KeyError"), Reply(True, "time-out")])
def test_a_verify_that_fails_on_a_blank_answer_has_checked_something(blanked: Reply) -> None:
    assert verdict(judged(pad(), verify=Verify(blanked=blanked)), 7).result == "pass"
