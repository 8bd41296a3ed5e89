"""A resumed trial makes the calls of its step again, and comes to the same end.

The step of `paying_trial.py` has four calls: one that cannot be made, the read of a mail, a payment
that the user refuses, and one that he approves of.
"""

import pytest

from controlplane.agent.evidence import RecordDiverged
from tests.agent.evidence.tape.paying_trial import APPROVED_ACCOUNT, PayingTrial


@pytest.mark.parametrize(
    ("recorded_count", "asked_before", "paid"),
    [
        pytest.param(1, 0, [APPROVED_ACCOUNT], id="before the mail is read"),
        pytest.param(2, 0, [APPROVED_ACCOUNT], id="before the first question"),
        pytest.param(3, 1, [APPROVED_ACCOUNT], id="after the refusal"),
        pytest.param(4, 1, [APPROVED_ACCOUNT], id="after the refused call was stopped"),
        pytest.param(5, 2, [APPROVED_ACCOUNT], id="after the approval"),
        pytest.param(6, 2, [APPROVED_ACCOUNT], id="before the payment is announced"),
        pytest.param(8, 2, [], id="after the payment"),
    ],
)
def test_a_trial_that_is_killed_and_resumed_comes_to_the_same_end(
    recorded_count: int, asked_before: int, paid: list[str]
) -> None:
    """The whole trial has nine events; the process is killed after some of them."""
    whole = PayingTrial().run()
    recorded = whole.events[:recorded_count]

    resumed = PayingTrial(recorded).run()

    assert resumed.results == whole.results
    assert resumed.paid == paid
    assert len(whole.questions) == 2
    assert resumed.questions == whole.questions[asked_before:]
    # The events of both attempts together are those of one trial.
    types_of_both = [event.type for event in [*recorded, *resumed.events]]
    assert types_of_both == [event.type for event in whole.events]


def test_a_payment_that_was_under_way_is_neither_asked_about_nor_made_again() -> None:
    whole = PayingTrial().run()
    *until_announcement, _payment, _step_done = whole.events

    resumed = PayingTrial(until_announcement).run()

    assert resumed.questions == []
    assert resumed.paid == []


def test_recorded_calls_may_exceed_a_limit_that_was_lowered_since() -> None:
    """The record has two calls that were made. With the new limit of one call, the second would be
    refused if it were not recorded."""
    whole = PayingTrial().run()
    *all_calls, _step_done = whole.events

    resumed = PayingTrial(all_calls)
    resumed.session.calls.limit.max_calls = 1
    resumed.run()

    assert resumed.results == whole.results
    assert resumed.paid == []


def test_a_resumed_trial_that_makes_another_call_is_refused() -> None:
    """The first call in the record has a path that is too long. The resumed trial reads the mail."""
    *all_calls, _step_done = PayingTrial().run().events

    resumed = PayingTrial(all_calls)
    with pytest.raises(RecordDiverged, match="step 1 does not go as recorded"):
        resumed.call("read", path="/mail/m1.md")

    assert resumed.paid == []
