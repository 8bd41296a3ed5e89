"""A trial that was interrupted asks its model again only for the replies that are not recorded.

The whole trial asks 1.a and 1.b in step 1, and 2.a and 2.b in step 2. If it was interrupted after reply
1.a, it asks 1.b, 2.a and 2.b.
"""

from collections.abc import Sequence

from controlplane.agent.events import ModelReplied, StepDone, TrialEvent
from tests.agent.loop.session.solved_session import events_of
from tests.agent.loop.session.two_step_solver import TwoStepSolver


def recorded_replies(events: Sequence[TrialEvent]) -> list[str]:
    """Return the replies of the model that these events have: `["1.a", "1.b"]`."""
    return [event.reply for event in events if isinstance(event, ModelReplied)]


def outputs(events: Sequence[TrialEvent]) -> list[str]:
    """Return the outputs of the steps that these events end: `["1.a 1.b"]`."""
    return [event.output for event in events if isinstance(event, StepDone)]


def test_a_trial_asks_the_model_all_questions_of_its_solver() -> None:
    solver = TwoStepSolver()

    events = events_of(solver)

    assert solver.asked == ["1.a", "1.b", "2.a", "2.b"]
    assert outputs(events) == ["1.a 1.b", "2.a 2.b"]


def test_a_trial_that_is_resumed_after_its_first_reply_asks_for_the_other_three() -> (
    None
):
    whole = events_of(TwoStepSolver())
    first_reply = [isinstance(event, ModelReplied) for event in whole].index(True)
    solver = TwoStepSolver()

    events_of(solver, whole[: first_reply + 1])

    assert solver.asked == ["1.b", "2.a", "2.b"]


def test_a_trial_that_is_resumed_after_any_event_asks_only_for_what_is_not_recorded() -> (
    None
):
    whole = events_of(TwoStepSolver())

    for event_count in range(1, len(whole)):
        recorded = whole[:event_count]
        solver = TwoStepSolver()

        events_of(solver, recorded)

        replies = [*recorded_replies(recorded), *solver.asked]
        assert replies == ["1.a", "1.b", "2.a", "2.b"], event_count


def test_a_trial_that_is_resumed_after_any_event_has_the_same_steps() -> None:
    whole = events_of(TwoStepSolver())

    for event_count in range(1, len(whole)):
        recorded = whole[:event_count]

        further = events_of(TwoStepSolver(), recorded)

        all_outputs = outputs([*recorded, *further])
        assert all_outputs == ["1.a 1.b", "2.a 2.b"], event_count
