"""A trial as its solver uses it, and what happens if the trial is resumed or replayed.

A solver makes calls, asks a model, checks citations and submits answers. Each of these is an event
in the journal. A trial may be interrupted after any event. When it is resumed, its solver runs
again from the start, and gets what is recorded: nothing is called, asked or paid twice. A replay
(`rerun`) compares all this with the record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import pytest

from controlplane.agent.events import (
    ModelReplied,
    StepDone,
    TrialEvent,
)
from controlplane.agent.evidence import Recorder, Tape
from controlplane.agent.loop import TrialContext, TrialSession, new_session
from controlplane.agent.loop.session.side_requests import SideRequests
from controlplane.agent.model import (
    Message,
    ModelError,
    ModelRequest,
    OutOfBudget,
    Reply,
    Usage,
)
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.gates.submission import Submission
from controlplane.replay.recording import Recording, RerunSettings
from controlplane.replay.rerun import rerun
from controlplane.sandbox import ForkServer
from tests.support.effect_counter import TOOL_SCHEMA, EffectCounterBenchmark
from tests.support.scored_journal import is_announced_call, trial_records_of

TRIAL = TrialContext(
    "run1-0",
    "tally.0",
    "Check out, and answer with the word only.",
    datetime(2031, 5, 4, tzinfo=UTC),
)
MESSAGES: list[Message] = [{"role": "user", "content": "which word?"}]

Solver = Callable[[TrialSession], None]
"""Works on a trial from its start to its end."""


def events_of(
    solver: Solver,
    recorded_events: Sequence[TrialEvent] = (),
    *,
    max_cost_usd: float | None = None,
) -> list[TrialEvent]:
    """Let a solver work on the trial, and return the new events.

    With recorded events, the trial is a resumed one. The solver does all its work again, and gets
    the recorded results of what these events record, without a new event.
    """
    # A file /note.txt says "the word is heron", and the program /bin/checkout changes something.
    environment = EffectCounterBenchmark(1).start_trial(TRIAL.trial_id).environment
    # The tape gives the session what is recorded, instead of letting it do it again.
    record = trial_records_of(recorded_events).get(TRIAL.trial_id, TrialRecord())
    events: list[TrialEvent] = []
    recorder = Recorder(TRIAL.trial_id, environment, events.append, tape=Tape(record))
    session = new_session(replace(TRIAL, max_cost_usd=max_cost_usd), recorder)
    solver(session)
    session.steps.end()
    return events


class CountingModel:
    """A model that counts its requests, and replies to each for a quarter of a dollar."""

    paid_reply = Reply(
        text="the word is heron",
        usage=Usage(prompt_tokens=3, completion_tokens=2),
        cost_usd=0.25,
    )

    def __init__(self) -> None:
        self.request_count = 0

    def reply(self, request: ModelRequest) -> Reply:
        self.request_count += 1
        return self.paid_reply

    def fail_with_price(self, request: ModelRequest) -> Reply:
        """Fail as an endpoint does whose reply has no text but must be paid."""
        self.request_count += 1
        error = ModelError("the reply has no text")
        error.paid = self.paid_reply
        raise error


# A trial that is resumed after each of its events
# --------------------------------------------------------------------------------------------------------------


def submission_citing(path: str, reason: str) -> Submission:
    """Return a submission of the right answer that cites one file."""
    return Submission(answer="heron", outcome="OUTCOME_OK", refs_why={path: reason})


def solve_in_one_step(session: TrialSession, model: CountingModel) -> None:
    """Make two calls, two citations, two requests to the model, and two submissions.

    The first citation is of a file that was not read, and the first submission is rejected.
    """
    session.call("read", {"path": "/note.txt"})
    with pytest.raises(ValueError, match="not read"):
        session.check_citation("/draft.txt", "the draft of the word")
    for _ in range(2):
        session.ask(model.reply, ModelRequest(MESSAGES, role="parse"))
    rejected = session.submit(submission_citing("/draft.txt", "?"))
    assert not rejected.accepted

    session.call("exec", {"path": "/bin/checkout", "args": [], "stdin": ""})
    reason = "the note says that the word is heron"
    path = session.check_citation("/note.txt", reason)
    accepted = session.submit(submission_citing(path, reason))
    assert accepted.accepted


WHOLE_TRIAL = [
    "call",
    "citation",
    "model_replied",
    "model_replied",
    "submission_judged",
    "call",  # The checkout is announced,
    "call",  # and has its result.
    "citation",
    "submission_judged",
    "answer_sent",
    "answer_done",
    "step",
]
"""The types of the events of `solve_in_one_step`, without those of sent requests."""


def types_of(events: Sequence[TrialEvent]) -> list[str]:
    """Return the types of events, without requests: one whose reply was lost is sent again."""
    return [event.type for event in events if event.type != "model_asked"]


def test_a_trial_that_is_resumed_after_any_event_does_nothing_twice() -> None:
    """Cut the journal after each event in turn, and resume the trial from there. The events before
    and after the cut are together those of a trial that was not interrupted."""
    model = CountingModel()
    solver = partial(solve_in_one_step, model=model)
    whole = events_of(solver)
    assert types_of(whole) == WHOLE_TRIAL

    for event_count in range(1, len(whole)):
        recorded = whole[:event_count]
        if is_announced_call(recorded[-1]):
            continue  # Whether the checkout was made is not known: the solver is told so.
        model.request_count = 0

        further = events_of(solver, recorded)

        assert types_of([*recorded, *further]) == WHOLE_TRIAL, event_count
        recorded_replies = types_of(recorded).count("model_replied")
        assert model.request_count == 2 - recorded_replies, event_count
        (step,) = [event for event in further if isinstance(event, StepDone)]
        assert len(step.calls) == 2, event_count


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


def test_a_resumed_trial_asks_only_for_the_replies_that_are_not_recorded() -> None:
    """A solver asks the model twice in each of two steps. Its trial is interrupted after each of
    its events in turn, and resumed."""
    model = EchoModel()

    def solve_in_two_steps(session: TrialSession) -> None:
        for number in (1, 2):
            with session.step() as step:
                first_reply = model.ask(session, f"{number}.a")
                second_reply = model.ask(session, f"{number}.b")
                step.done = StepDone(
                    trial_id=TRIAL.trial_id,
                    step=step.number,
                    output=f"{first_reply} {second_reply}",
                )

    whole = events_of(solve_in_two_steps)
    assert model.asked_names == ["1.a", "1.b", "2.a", "2.b"]

    for event_count in range(1, len(whole)):
        recorded = whole[:event_count]
        model.asked_names.clear()

        further = events_of(solve_in_two_steps, recorded)

        recorded_replies = [
            event.reply for event in recorded if isinstance(event, ModelReplied)
        ]
        all_replies = [*recorded_replies, *model.asked_names]
        assert all_replies == ["1.a", "1.b", "2.a", "2.b"], event_count
        outputs: list[str] = []
        for event in [*recorded, *further]:
            if isinstance(event, StepDone):
                outputs.append(event.output)
        assert outputs == ["1.a 1.b", "2.a 2.b"], event_count


# What a trial spends
# --------------------------------------------------------------------------------------------------------------


def test_every_paid_reply_counts_once_however_often_the_trial_is_resumed() -> None:
    """The solver pays $0.25 three times: for a reply, for one that cannot be used, and for one of
    another model, which plays the user (a side request). The trial is interrupted after each of its
    events in turn, and resumed. In the end, it has always spent $0.75."""
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

    whole = events_of(pay_for_three_replies, max_cost_usd=0.8)
    assert model.request_count == 3

    for event_count in range(len(whole) + 1):
        events_of(pay_for_three_replies, whole[:event_count], max_cost_usd=0.8)

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


# Replays that differ from the record
# --------------------------------------------------------------------------------------------------------------


def recorded_step() -> StepDone:
    """Return the only step of a trial that `solve_in_one_step` solves."""
    events = events_of(partial(solve_in_one_step, model=CountingModel()))
    (step,) = [event for event in events if isinstance(event, StepDone)]
    return step


def field_that_differs(step: StepDone, server: ForkServer) -> str:
    """Replay a recorded step, and return the first field with another value than recorded."""
    record = trial_records_of([step])[TRIAL.trial_id]
    recording = Recording(TRIAL, TOOL_SCHEMA, record)
    (difference,) = rerun(recording, server, RerunSettings())
    assert difference is not None
    return difference.field


def test_another_verdict_than_the_recorded_one_is_a_difference(
    server: ForkServer,
) -> None:
    """The record has the opposite of what the gates say when the step is replayed."""
    step = recorded_step()
    opposite_verdicts = tuple(
        verdict.model_copy(update={"accepted": not verdict.accepted})
        for verdict in step.verdicts
    )
    altered_step = step.model_copy(update={"verdicts": opposite_verdicts})

    assert field_that_differs(altered_step, server).startswith("verdicts")


def test_another_citation_than_the_recorded_one_is_a_difference(
    server: ForkServer,
) -> None:
    """The record says that the draft, which was not read, could be cited."""
    step = recorded_step()
    accepted = {"reason": "none at all", "error": "", "spelling": "/draft.txt"}
    accepted_citations = tuple(
        citation.model_copy(update=accepted) for citation in step.citations
    )
    altered_step = step.model_copy(update={"citations": accepted_citations})

    assert field_that_differs(altered_step, server).startswith("citations")
