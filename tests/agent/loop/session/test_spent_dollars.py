"""What a trial spends on its models, and the limit of that (`--trial-cost`).

Every reply that must be paid counts once, even if it cannot be used, and even if the trial is
interrupted and resumed. No request is sent that could exceed the limit.
"""

import pytest

from controlplane.agent.loop import TrialSession
from controlplane.agent.loop.session.side_requests import SideRequests
from controlplane.agent.model import ModelError, ModelRequest, OutOfBudget
from tests.agent.loop.session.one_step_solver import MESSAGES, CountingModel
from tests.agent.loop.session.solved_session import events_of


def test_every_paid_reply_counts_once_however_often_the_trial_is_resumed() -> None:
    """A reply of `CountingModel` costs $0.25. The solver pays for three: a reply, one of another
    model, which plays the user (a side request), and one that cannot be used.

    The trial is interrupted after each of its events in turn. A resumed trial runs its solver from
    the start, with the recorded replies, so that it has always spent $0.75 in the end."""
    model = CountingModel()
    reasons_to_end: list[str] = []

    def pay_for_three_replies(session: TrialSession) -> None:
        session.ask(model.reply, ModelRequest(MESSAGES, role="parse"))
        SideRequests(session).ask(
            lambda request, on_retry: model.reply(request),
            ModelRequest(MESSAGES, role="user"),
        )
        with pytest.raises(ModelError):
            session.ask(model.fail_with_price, ModelRequest(MESSAGES, role="parse"))
        reasons_to_end.append(session.budget.cost_limit.reason)

    limit_usd = 0.8  # enough for three replies, and not for a fourth one
    whole = events_of(pay_for_three_replies, max_cost_usd=limit_usd)
    assert model.request_count == 3

    for event_count in range(len(whole) + 1):
        events_of(pay_for_three_replies, whole[:event_count], max_cost_usd=limit_usd)

        assert reasons_to_end[-1] == (
            "the trial has spent $0.75, and its next reply may pass its limit of $0.8"
            " (--trial-cost)"
        ), event_count


def test_a_trial_that_could_exceed_its_cost_limit_asks_no_model() -> None:
    """A reply costs $0.25. A second one would probably cost as much, and exceed the limit of $0.30."""
    model = CountingModel()

    def ask_twice(session: TrialSession) -> None:
        session.ask(model.reply, ModelRequest(MESSAGES, role="parse"))
        assert "--trial-cost" in session.budget.cost_limit.reason
        with pytest.raises(OutOfBudget, match="--trial-cost"):
            session.ask(model.reply, ModelRequest(MESSAGES, role="parse"))

    events_of(ask_twice, max_cost_usd=0.3)

    assert model.request_count == 1
