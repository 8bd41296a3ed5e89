"""What the journal records of the decisions of a trial's user.

The user is asked about two payments. He refuses the first one, to `REFUSED_ACCOUNT`, which is stopped,
and approves of the second one, to `APPROVED_ACCOUNT`.
"""

from controlplane.agent.events import CallApproval, CallStopped
from tests.agent.evidence.tape.paying_trial import PayingTrial
from tests.agent.evidence.tape.paying_user import APPROVED_ACCOUNT, REFUSED_ACCOUNT


def approvals_in(trial: PayingTrial) -> list[CallApproval]:
    """Return the events that record what the user was asked and decided."""
    return [event for event in trial.events if isinstance(event, CallApproval)]


def test_the_journal_records_what_the_user_decided(recorded_trial: PayingTrial) -> None:
    refused, approved = approvals_in(recorded_trial)

    assert refused.arguments["recipient"] == REFUSED_ACCOUNT
    assert refused.answer == "refused"
    assert approved.arguments["recipient"] == APPROVED_ACCOUNT
    assert approved.answer == "approved"


def test_the_journal_records_what_the_user_was_asked(
    recorded_trial: PayingTrial,
) -> None:
    recorded_questions = [approval.text for approval in approvals_in(recorded_trial)]

    assert recorded_questions == recorded_trial.questions


def test_the_journal_records_why_a_call_was_stopped(
    recorded_trial: PayingTrial,
) -> None:
    """An event of this type without an objection says later what became of a stopped call."""
    stopped_accounts: list[object] = []
    for event in recorded_trial.events:
        if isinstance(event, CallStopped) and event.objection:
            stopped_accounts.append(event.arguments["recipient"])

    assert stopped_accounts == [REFUSED_ACCOUNT]
