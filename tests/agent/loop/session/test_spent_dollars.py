"""What a trial spends on its models, and the limit for it (`--trial-cost`).

Every reply that must be paid counts once, even if it cannot be used, and even if the trial is
interrupted and resumed. No request is sent that could exceed the limit.

`events_of(solver, recorded_events)` lets a solver work on a trial, and returns its new events. A reply of
`CountingModel` costs $0.25.
"""

from collections.abc import Callable

import pytest

from controlplane.agent.loop import TrialSession
from controlplane.agent.loop.session.side_requests import SideRequests
from controlplane.agent.model import ModelError, ModelRequest, OutOfBudget, Reply
from tests.agent.loop.session.one_step_solver import MESSAGES, CountingModel
from tests.agent.loop.session.solved_session import events_of


def test_every_paid_reply_counts_once_however_often_the_trial_is_resumed() -> None:
    """The solver pays for three replies, together $0.75. The trial is interrupted after each of its
    events in turn. A resumed trial runs its solver from the start, with the recorded replies."""
    model = CountingModel()
    reasons_against_next_request: list[str] = []

    def reply_with_retries(
        request: ModelRequest, tell_of_retry: Callable[[str], None]
    ) -> Reply:
        return model.reply(request)

    def pay_for_three_replies(session: TrialSession) -> None:
        # 1. A reply to the solver
        session.ask(model.reply, ModelRequest(MESSAGES, role="parse"))
        # 2. A reply to somebody else, here of a model that plays the user
        play_user = ModelRequest(MESSAGES, role="user")
        SideRequests(session).ask(reply_with_retries, play_user)
        # 3. A reply that cannot be used
        with pytest.raises(ModelError):
            session.ask(model.fail_with_price, ModelRequest(MESSAGES, role="parse"))
        reasons_against_next_request.append(session.budget.cost_limit.reason)

    limit_usd = 0.8  # enough for three replies, and not for a fourth one
    whole = events_of(pay_for_three_replies, max_cost_usd=limit_usd)
    assert model.request_count == 3

    for event_count in range(len(whole) + 1):
        recorded = whole[:event_count]
        events_of(pay_for_three_replies, recorded, max_cost_usd=limit_usd)

        assert reasons_against_next_request[-1] == (
            "the trial has spent $0.75, and its next reply may pass its limit of $0.8"
            " (--trial-cost)"
        ), event_count


def test_a_trial_that_could_exceed_its_cost_limit_asks_no_model() -> None:
    """The second reply would probably cost as much as the first, and exceed the limit of $0.30."""
    model = CountingModel()

    def ask_twice(session: TrialSession) -> None:
        session.ask(model.reply, ModelRequest(MESSAGES, role="parse"))
        assert "--trial-cost" in session.budget.cost_limit.reason
        with pytest.raises(OutOfBudget, match="--trial-cost"):
            session.ask(model.reply, ModelRequest(MESSAGES, role="parse"))

    events_of(ask_twice, max_cost_usd=0.3)

    assert model.request_count == 1
