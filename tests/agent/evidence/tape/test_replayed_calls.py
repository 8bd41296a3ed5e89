"""A replay runs a recorded trial again, and notes each difference from its record.

It takes all results of calls, and all decisions of the user, from the record. Nothing happens
because of it: nobody is asked, nothing is paid, and no events are written. If another call is made
than the recorded one, the replay notes it, and goes on to find further differences.
"""

from __future__ import annotations

import pytest

from controlplane.agent.events import DONE_ALL_THE_SAME
from controlplane.agent.evidence import parse_policy
from tests.agent.evidence.tape.paying_trial import APPROVED_ACCOUNT, PayingTrial


@pytest.fixture(scope="module")
def recorded_trial() -> PayingTrial:
    """Return the trial that is replayed: its user approved of a payment, and refused another one."""
    return PayingTrial().run()


def test_a_replay_neither_asks_nor_pays_nor_writes_events(
    recorded_trial: PayingTrial,
) -> None:
    replay = PayingTrial(recorded_trial.events, is_replay=True)

    replay.run()

    assert replay.questions == []
    assert replay.paid == []
    assert replay.events == []


def test_a_replay_of_the_same_calls_gets_their_results_and_finds_no_difference(
    recorded_trial: PayingTrial,
) -> None:
    replay = PayingTrial(recorded_trial.events, is_replay=True)

    replay.run()

    assert replay.results == recorded_trial.results
    assert replay.tape.differences == []


def test_a_replay_notes_a_call_that_is_not_the_recorded_one(
    recorded_trial: PayingTrial,
) -> None:
    """The first call in the record has a path that is too long. The replay reads the mail first."""
    replay = PayingTrial(recorded_trial.events, is_replay=True)

    replay.call("read", path="/mail/m1.md")

    (difference,) = replay.tape.differences
    assert difference.field == "calls[0]"


def test_a_replay_goes_on_after_a_difference(recorded_trial: PayingTrial) -> None:
    """It makes a call that is not in the record, and then all of the recorded ones."""
    replay = PayingTrial(recorded_trial.events, is_replay=True)
    replay.call("read", path="/mail/m1.md")

    replay.run()

    _result_of_other_call, *later_results = replay.results
    assert later_results == recorded_trial.results


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
    """Somebody has changed the event with this number in the journal."""
    events = list(recorded_trial.events)
    events[number] = events[number].model_copy(update=changed_fields)
    replay = PayingTrial(events, is_replay=True)

    replay.run()

    fields = [difference.field for difference in replay.tape.differences]
    assert field in fields
