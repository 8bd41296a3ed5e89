"""A step that was interrupted after any event, and is resumed, does nothing twice.

`solve_in_one_step` works on the trial by calls, citations, requests to a model and submissions. It runs
again from the start. What the journal has is not done again: the solver gets the recorded results.
"""

from functools import partial

from controlplane.agent.events import StepDone
from tests.agent.loop.session.interrupted_step import (
    beginnings_of,
    types_of,
    whole_trial,
)
from tests.agent.loop.session.one_step_solver import CountingModel, solve_in_one_step
from tests.agent.loop.session.solved_session import events_of

WHOLE_TRIAL = [
    "call",  # A file is read.
    "citation",  # The citation of another file is refused.
    "model_replied",
    "model_replied",
    "submission_judged",  # The answer is rejected.
    "call",  # A checkout, which changes something, is announced.
    "call",  # The checkout has its result.
    "citation",  # The file that was read is cited.
    "submission_judged",  # The answer is accepted.
    "answer_sent",  # It is about to be sent.
    "answer_done",  # The environment has taken it.
    "step",  # The step has ended.
]


def test_a_trial_that_was_not_interrupted_has_these_events() -> None:
    assert types_of(whole_trial()) == WHOLE_TRIAL


def test_a_trial_that_is_resumed_after_any_event_does_nothing_twice() -> None:
    """The recorded and the new events are together those of a trial without interruption."""
    solver = partial(solve_in_one_step, model=CountingModel())

    for recorded in beginnings_of(whole_trial()):
        further = events_of(solver, recorded)

        assert types_of([*recorded, *further]) == WHOLE_TRIAL, len(recorded)


def test_a_resumed_trial_makes_only_the_requests_without_a_recorded_reply() -> None:
    """A trial makes two requests. If one reply is recorded, one request is left."""
    for recorded in beginnings_of(whole_trial()):
        model = CountingModel()

        events_of(partial(solve_in_one_step, model=model), recorded)

        recorded_replies = types_of(recorded).count("model_replied")
        assert model.request_count == 2 - recorded_replies, len(recorded)


def test_the_step_of_a_resumed_trial_has_the_recorded_and_the_new_calls() -> None:
    """The step reads a file and checks out: two calls, wherever it was interrupted. Its end is among
    the new events, since `beginnings_of` leaves the whole journal out."""
    solver = partial(solve_in_one_step, model=CountingModel())

    for recorded in beginnings_of(whole_trial()):
        further = events_of(solver, recorded)

        (step,) = [event for event in further if isinstance(event, StepDone)]
        assert len(step.calls) == 2, len(recorded)
