"""A replay of a recorded trial notes what would be decided otherwise than in the record.

In `recorded_trial`, the user refused a payment, which was stopped. Then the user approved of a payment to
another account, which was sent.
"""

import pytest

from controlplane.agent.events import DONE_ALL_THE_SAME
from tests.agent.evidence.tape.paying_trial import PayingTrial
from tests.agent.evidence.tape.paying_user import APPROVED_ACCOUNT


def test_a_replay_notes_the_objection_to_a_call_that_was_sent(
    recorded_trial: PayingTrial,
) -> None:
    """The user approved of one payment, so it was sent. With the setting `block`, it would be stopped
    today. The note has the message that the model would read."""
    replay = PayingTrial(recorded_trial.events, is_replay=True, provenance="block")

    replay.run()

    (difference,) = replay.tape.differences
    message_of_today = str(difference.now)
    assert difference.field == "stopped"
    assert difference.recorded is None
    assert message_of_today.startswith("pay was not sent. ")
    assert APPROVED_ACCOUNT in message_of_today


# Positions of events in the journal. The events 0 and 1 are of calls before the payments.
USER_REFUSES_FIRST_PAYMENT = 2
FIRST_PAYMENT_IS_STOPPED = 3
SECOND_PAYMENT_IS_MADE_INSTEAD = 5  # after event 4: the user approves of it


@pytest.mark.parametrize(
    ("position", "changed_fields", "field_with_difference"),
    [
        pytest.param(
            USER_REFUSES_FIRST_PAYMENT,
            {"operation": "refund"},
            "approvals",
            id="the call about which the user was asked",
        ),
        pytest.param(
            FIRST_PAYMENT_IS_STOPPED,
            {"by": "check"},
            "stopped",
            id="the check that stopped the call",
        ),
        pytest.param(
            SECOND_PAYMENT_IS_MADE_INSTEAD,
            {"then": DONE_ALL_THE_SAME},
            "stopped",
            id="what became of the stopped call",
        ),
    ],
)
def test_a_replay_notes_a_record_that_says_something_else_of_a_stopped_call(
    recorded_trial: PayingTrial,
    position: int,
    changed_fields: dict[str, str],
    field_with_difference: str,
) -> None:
    """One event in the journal was changed, in a field that a replay computes again."""
    events = list(recorded_trial.events)
    events[position] = events[position].model_copy(update=changed_fields)
    replay = PayingTrial(events, is_replay=True)

    replay.run()

    fields = [difference.field for difference in replay.tape.differences]
    assert field_with_difference in fields
