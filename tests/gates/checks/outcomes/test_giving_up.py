"""Rule `6/internal-error`: a trial gives up only if the environment has failed.

A script gives up with the outcome `OUTCOME_ERR_INTERNAL`. If a call failed because the environment
was out of order, the rule objects once, "for failed tooling alone"; otherwise it always objects.
"""

from __future__ import annotations

from tests.gates.found_verdicts import objection_of, verdict_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.recorded_calls import CallsOfTrial


def test_giving_up_after_a_failed_call_is_objected_to_once() -> None:
    """The failed call may succeed if it is made again. So the first objection asks for that,
    and if the model gives up again, it may."""
    calls = CallsOfTrial()
    calls.fail("read", "/desk/order.json", code="unavailable")
    giving_up = valid_scratchpad(
        outcome="OUTCOME_ERR_INTERNAL", answer="the desk does not respond"
    )

    first_judgement = judge_scratchpad(giving_up, calls)
    second_judgement = judge_scratchpad(giving_up, calls, internal_errors_before=1)

    first_objection = objection_of(first_judgement, "6/internal-error")
    assert "for failed tooling alone" in first_objection
    assert objection_of(second_judgement, "6/internal-error") == ""


def test_giving_up_while_no_call_has_failed_is_always_objected_to() -> None:
    """The rule objects for the fourth time, after the model has given up three times before."""
    calls = CallsOfTrial()
    # The environment works: the script asked for a file that does not exist.
    calls.fail("read", "/nowhere.md", code="not_found")
    giving_up = valid_scratchpad(
        outcome="OUTCOME_ERR_INTERNAL", answer="the desk does not respond"
    )

    judgement = judge_scratchpad(giving_up, calls, internal_errors_before=3)

    objection = objection_of(judgement, "6/internal-error")
    assert "No call of the environment has failed" in objection


def test_the_rule_on_giving_up_does_not_apply_to_another_outcome() -> None:
    """The environment has failed, but the trial answers nevertheless."""
    calls = CallsOfTrial()
    calls.fail("read", "/desk/order.json", code="unavailable")

    judgement = judge_scratchpad(valid_scratchpad(outcome="OUTCOME_OK"), calls)

    assert verdict_of(judgement, "6/internal-error").result == "not_applicable"
