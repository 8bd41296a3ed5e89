"""A trial that was interrupted after any event, and is resumed, does nothing twice.

Its solver runs again from the start, and gets what is recorded: no call is made, no model asked and
no answer submitted again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from controlplane.agent.events import ModelReplied, StepDone, TrialEvent
from controlplane.agent.loop import TrialSession
from controlplane.agent.model import ModelRequest, Reply
from tests.agent.loop.session.one_step_solver import (
    MESSAGES,
    CountingModel,
    solve_in_one_step,
)
from tests.agent.loop.session.solved_session import TRIAL, Solver, events_of
from tests.support.journals.read_events import is_announced_call

WHOLE_TRIAL = [
    "call",  # A file is read.
    "citation",
    "model_replied",
    "model_replied",
    "submission_judged",
    "call",  # A checkout, which changes something, is announced.
    "call",  # The checkout has its result.
    "citation",
    "submission_judged",
    "answer_sent",
    "answer_done",
    "step",
]
"""The types of the events of `solve_in_one_step`, in their order.

Two citations are checked, the model replies twice, and two submissions are judged. The first one is
rejected. Events of sent requests are left out.
"""


def resume(solver: Solver, recorded: Sequence[TrialEvent]) -> list[TrialEvent]:
    """Let a solver work again on a trial with these recorded events; return the new events."""
    return events_of(solver, recorded)


def types_of(events: Sequence[TrialEvent]) -> list[str]:
    """Return the types of events, without requests: one whose reply was lost is sent again."""
    return [event.type for event in events if event.type != "model_asked"]


def beginnings_of(whole: Sequence[TrialEvent]) -> list[Sequence[TrialEvent]]:
    """Return what the journal may have of an interrupted trial: its first event, the first two ...

    It is left out that the journal ends with the announcement of a call. Whether that call was made
    is not known, and the solver is told so.
    """
    beginnings = []
    for event_count in range(1, len(whole)):
        recorded = whole[:event_count]
        if not is_announced_call(recorded[-1]):
            beginnings.append(recorded)
    return beginnings


class TestResumedStep:
    """A solver's single step is interrupted after each of its events, and resumed.

    `solve_in_one_step` asks the model twice. Its first submission is rejected, it checks out, and
    its second submission is sent. The journal of the interrupted trial ends after any of these
    events.
    """

    def test_a_trial_that_was_not_interrupted_has_these_events(self) -> None:
        events = events_of(partial(solve_in_one_step, model=CountingModel()))

        assert types_of(events) == WHOLE_TRIAL

    def test_a_trial_that_is_resumed_after_any_event_does_nothing_twice(self) -> None:
        """The recorded and the new events are together those of a trial without interruption."""
        solver = partial(solve_in_one_step, model=CountingModel())
        whole = events_of(solver)

        for recorded in beginnings_of(whole):
            further = resume(solver, recorded)

            assert types_of([*recorded, *further]) == WHOLE_TRIAL, len(recorded)

    def test_a_resumed_trial_makes_only_the_requests_without_a_recorded_reply(
        self,
    ) -> None:
        """A trial makes two requests. If one reply is recorded, one request is left."""
        whole = events_of(partial(solve_in_one_step, model=CountingModel()))

        for recorded in beginnings_of(whole):
            model = CountingModel()

            resume(partial(solve_in_one_step, model=model), recorded)

            recorded_replies = types_of(recorded).count("model_replied")
            assert model.request_count == 2 - recorded_replies, len(recorded)

    def test_the_step_of_a_resumed_trial_has_the_recorded_and_the_new_calls(
        self,
    ) -> None:
        """The step reads a file and checks out: two calls, wherever it was interrupted."""
        solver = partial(solve_in_one_step, model=CountingModel())
        whole = events_of(solver)

        for recorded in beginnings_of(whole):
            further = resume(solver, recorded)

            (step,) = [event for event in further if isinstance(event, StepDone)]
            assert len(step.calls) == 2, len(recorded)


class EchoModel:
    """A model that is asked by a name, such as "1.a", and replies with this name."""

    def __init__(self) -> None:
        self.asked_names: list[str] = []

    def ask(self, session: TrialSession, name: str) -> str:
        """Return the reply. If it is recorded, the session does not call the model."""

        def reply(request: ModelRequest) -> Reply:
            self.asked_names.append(name)
            return Reply(text=name)

        return session.ask(reply, ModelRequest(MESSAGES)).reply


def solve_in_two_steps(session: TrialSession, model: EchoModel) -> None:
    """Ask the model two questions in each of two steps. Each step outputs the two replies."""
    for number in (1, 2):
        with session.step() as step:
            first_reply = model.ask(session, f"{number}.a")
            second_reply = model.ask(session, f"{number}.b")
            step.done = StepDone(
                trial_id=TRIAL.trial_id,
                step=step.number,
                output=f"{first_reply} {second_reply}",
            )


def replies_in(events: Sequence[TrialEvent]) -> list[str]:
    """Return the replies of the model that these events have: `["1.a", "1.b"]`."""
    return [event.reply for event in events if isinstance(event, ModelReplied)]


def outputs_in(events: Sequence[TrialEvent]) -> list[str]:
    """Return the outputs of the steps that these events end: `["1.a 1.b"]`."""
    return [event.output for event in events if isinstance(event, StepDone)]


class TestResumedReplies:
    """Of a solver's questions to its model, only those without a recorded reply are asked again.

    `solve_in_two_steps` asks the questions "1.a" and "1.b" in step 1, and "2.a" and "2.b" in step 2.
    The model replies to each with its name. If the trial is interrupted after the reply "1.a", the
    resumed trial asks only the other three.
    """

    def test_a_trial_asks_the_model_all_questions_of_its_solver(self) -> None:
        model = EchoModel()

        events = events_of(partial(solve_in_two_steps, model=model))

        assert model.asked_names == ["1.a", "1.b", "2.a", "2.b"]
        assert outputs_in(events) == ["1.a 1.b", "2.a 2.b"]

    def test_a_resumed_trial_asks_only_for_the_replies_that_are_not_recorded(
        self,
    ) -> None:
        """The trial is interrupted after each of its events in turn, and resumed."""
        whole = events_of(partial(solve_in_two_steps, model=EchoModel()))

        for event_count in range(1, len(whole)):
            recorded = whole[:event_count]
            model = EchoModel()

            resume(partial(solve_in_two_steps, model=model), recorded)

            all_replies = [*replies_in(recorded), *model.asked_names]
            assert all_replies == ["1.a", "1.b", "2.a", "2.b"], event_count

    def test_the_steps_of_a_resumed_trial_have_recorded_and_new_replies(self) -> None:
        """Whatever event it was interrupted after, both steps have the same outputs."""
        solver = partial(solve_in_two_steps, model=EchoModel())
        whole = events_of(solver)

        for event_count in range(1, len(whole)):
            recorded = whole[:event_count]

            further = resume(solver, recorded)

            outputs = outputs_in([*recorded, *further])
            assert outputs == ["1.a 1.b", "2.a 2.b"], event_count
