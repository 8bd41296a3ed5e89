"""What the journal records of each call of a trial.

The trial makes four calls: one is invalid, one reads a mail, and two pay. The user refuses the first
payment, and approves of the second one. The journal has an event for each thing that happens to a call:

    CallApproval    the user was asked about a payment, and refused or approved
    CallStopped     a payment was not made, or it is known what the model did instead
    CallEvent       a call is announced, was made, or was invalid
"""

from controlplane.agent.events import CallEvent
from tests.agent.evidence.tape.paying_trial import PayingTrial
from tests.agent.evidence.tape.paying_user import APPROVED_ACCOUNT


def test_the_journal_has_the_events_of_each_call_in_their_order(
    recorded_trial: PayingTrial,
) -> None:
    event_types = [type(event).__name__ for event in recorded_trial.events]

    assert event_types == [
        "CallEvent",  # the invalid call
        "CallEvent",  # the mail is read
        "CallApproval",  # the user refuses the first payment
        "CallStopped",  # the first payment is not made
        "CallApproval",  # the user approves of the second payment
        "CallStopped",  # the first payment: the model makes the second one instead
        "CallEvent",  # the second payment is announced
        "CallEvent",  # the second payment is made
        "StepDone",
    ]


def test_the_journal_records_what_became_of_each_call(
    recorded_trial: PayingTrial,
) -> None:
    """A call that changes something is announced before it is made (`under_way`), so that a
    killed process does not make it twice. The refused payment has no `CallEvent`."""
    states = [
        event.state for event in recorded_trial.events if isinstance(event, CallEvent)
    ]

    assert states == [
        "not_made",  # the invalid call
        "made",  # reading the mail
        "under_way",  # the payment that the user approves
        "made",  # the same payment
    ]


def test_only_the_approved_payment_is_made(recorded_trial: PayingTrial) -> None:
    assert recorded_trial.paid == [APPROVED_ACCOUNT]
