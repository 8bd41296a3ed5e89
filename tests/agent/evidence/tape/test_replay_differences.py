"""A replay of a recorded trial notes what would be decided otherwise than in the record.

`recorded_trial` was asked to pay to two accounts. Its user refused the first payment, which was stopped,
and approved of the second one, which was sent.
"""

import pytest

from controlplane.agent.events import DONE_ALL_THE_SAME
from controlplane.agent.evidence import parse_policy
from tests.agent.evidence.tape.paying_trial import PayingTrial
from tests.agent.evidence.tape.paying_user import APPROVED_ACCOUNT


def test_a_replay_notes_the_objection_to_a_call_that_was_sent(
    recorded_trial: PayingTrial,
) -> None:
    """The user approved of one payment, so it was sent. With the setting `block`, it would be stopped
    today. The note has the message that the model would read."""
    replay = PayingTrial(recorded_trial.events, is_replay=True)
    replay.session.recorder.call_origins.policy = parse_policy("block")

    replay.run()

    (difference,) = replay.tape.differences
    message_of_today = str(difference.now)
    assert difference.field == "stopped"
    assert difference.recorded is None
    assert message_of_today.startswith("pay was not sent. ")
    assert APPROVED_ACCOUNT in message_of_today


@pytest.mark.parametrize(
    ("number", "changed_fields", "field"),
    [
        pytest.param(2, {"operation": "refund"}, "approvals", id="the approved call"),
        pytest.param(3, {"by": "check"}, "stopped", id="the check that stopped a call"),
        pytest.param(
            5, {"then": DONE_ALL_THE_SAME}, "stopped", id="what became of a call"
        ),
    ],
)
def test_a_replay_notes_a_record_that_says_something_else_of_a_stopped_call(
    recorded_trial: PayingTrial,
    number: int,
    changed_fields: dict[str, str],
    field: str,
) -> None:
    """Somebody has changed one event in the journal."""
    events = list(recorded_trial.events)
    events[number] = events[number].model_copy(update=changed_fields)
    replay = PayingTrial(events, is_replay=True)

    replay.run()

    fields = [difference.field for difference in replay.tape.differences]
    assert field in fields
