"""A trial as its solver uses it: calls, model requests, citations and submissions.

A trial may be interrupted after any event of its journal. When it is resumed, the solver runs
again from the start and repeats what is recorded, without a call, a model or a payment. A
replay (`rerun`) compares all this with the record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import pytest

from controlplane.agent.events import (
    CallEvent,
    CallStopped,
    ModelReplied,
    StepDone,
    TrialEvent,
)
from controlplane.agent.evidence import Recorder, Tape
from controlplane.agent.limits.cost_limit import CostLimit
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
from controlplane.agent.submission import GateSettings
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.gates.submission import Submission
from controlplane.replay.recording import Recording, RerunSettings
from controlplane.replay.rerun import rerun
from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface import CallError, Plain
from tests.benchmarks.ecom.reference_solutions import (
    RecordingEnvironment,
    generate_variant,
)
from tests.support.effect_counter import TOOL_SCHEMA, EffectCounterBenchmark
from tests.support.functions_here import with_functions_in_process
from tests.support.scored_journal import trial_records_of

TRIAL = TrialContext(
    "run1-0",
    "tally.0",
    "Check out, and answer with the word only.",
    datetime(2031, 5, 4, tzinfo=UTC),
)
MESSAGES: list[Message] = [{"role": "user", "content": "which word?"}]
USAGE = Usage(prompt_tokens=3, completion_tokens=2)

Solver = Callable[[TrialSession], None]
"""Works on a trial from its start to its end."""


def new_events(
    solver: Solver,
    recorded_events: Sequence[TrialEvent] = (),
    trial: TrialContext = TRIAL,
) -> list[TrialEvent]:
    """Let a solver work on a trial from its start to its end, and return the new events.

    With recorded events, the trial is a resumed one: the solver repeats its work, and for what
    these events record it gets the recorded result, without a new event.
    """
    events: list[TrialEvent] = []
    record = trial_records_of(recorded_events).get(TRIAL.trial_id, TrialRecord())
    environment = EffectCounterBenchmark(1).start_trial(TRIAL.trial_id).environment
    recorder = Recorder(TRIAL.trial_id, environment, events.append, tape=Tape(record))
    session = new_session(trial, recorder)
    solver(session)
    session.steps.end()
    return events


# A trial that is resumed after each of its events
# --------------------------------------------------------------------------------------------------------------


class UnexpectedRequest(Exception):
    """A model was asked although the record has its reply."""


def reply_heron() -> Reply:
    return Reply(text="the word is heron", usage=USAGE)


def fail_if_asked() -> Reply:
    """Stand for a model that must not be asked, because all replies are recorded."""
    raise UnexpectedRequest


def submission_citing(path: str, reason: str) -> Submission:
    """Return a submission of the right answer that cites one file."""
    return Submission(answer="heron", outcome="OUTCOME_OK", refs_why={path: reason})


def solve_in_one_step(
    session: TrialSession, model: Callable[[], Reply] = reply_heron
) -> None:
    """Make two calls, two citations, two requests to the model, and two submissions.

    The first citation is of a file that was not read, and the first submission is rejected.
    """
    session.call("read", {"path": "/note.txt"})
    with pytest.raises(ValueError, match="not read"):
        session.check_citation("/draft.txt", "the draft of the word")
    for _ in range(2):
        session.ask(lambda request: model(), ModelRequest(MESSAGES, role="parse"))
    rejected = session.submit(submission_citing("/draft.txt", "?"))
    assert not rejected.accepted

    session.call("exec", {"path": "/bin/checkout", "args": [], "stdin": ""})
    reason = "the note says that the word is heron"
    path = session.check_citation("/note.txt", reason)
    accepted = session.submit(submission_citing(path, reason))
    assert accepted.accepted


def is_announced_change(event: TrialEvent) -> bool:
    """Return True for the event that says that a change is about to be made."""
    if not isinstance(event, CallEvent):
        return False
    return event.is_announcement and event.operation == "exec"


def test_a_trial_that_is_resumed_after_any_event_does_nothing_twice() -> None:
    """Cut the journal after each event in turn, and resume the trial from there. The events before
    and after the cut are together those of a trial that was not interrupted."""
    events_of_whole_trial = new_events(solve_in_one_step)

    for event_count in range(1, len(events_of_whole_trial)):
        recorded_events = events_of_whole_trial[:event_count]
        if is_announced_change(recorded_events[-1]):
            continue  # Whether that change was made is not known: the solver is told so.
        recorded_replies = [
            event for event in recorded_events if isinstance(event, ModelReplied)
        ]
        has_both_replies = len(recorded_replies) == 2
        model = fail_if_asked if has_both_replies else reply_heron
        solver = partial(solve_in_one_step, model=model)

        further_events = new_events(solver, recorded_events=recorded_events)

        events = [*recorded_events, *further_events]
        type_counts = Counter(event.type for event in events)
        assert type_counts["submission_judged"] == 2, event_count
        assert type_counts["citation"] == 2, event_count
        assert type_counts["model_replied"] == 2, event_count
        assert type_counts["answer_sent"] == 1, event_count
        finished_calls = [
            event
            for event in events
            if isinstance(event, CallEvent) and not event.is_announcement
        ]
        assert len(finished_calls) == 2, event_count
        (step,) = [event for event in events if isinstance(event, StepDone)]
        assert len(step.calls) == 2, event_count


class EchoModel:
    """A model that is asked by a name, such as "1.a", and replies with this name."""

    def __init__(self) -> None:
        self.asked_names: list[str] = []
        """The names by which the model was really asked, without those of recorded replies."""

    def ask(self, session: TrialSession, name: str) -> str:
        """Return the reply, which the session may take from the record of the trial."""

        def reply(request: ModelRequest) -> Reply:
            self.asked_names.append(name)
            return Reply(text=name)

        return session.ask(reply, ModelRequest(MESSAGES)).reply


def test_a_resumed_trial_asks_only_for_the_replies_that_are_not_recorded() -> None:
    """A solver asks the model twice in each of two steps. Its trial is interrupted after each of
    its events in turn, and resumed. Every reply that was recorded before is taken from the record."""
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

    events_of_whole_trial = new_events(solve_in_two_steps)
    assert model.asked_names == ["1.a", "1.b", "2.a", "2.b"]

    for event_count in range(1, len(events_of_whole_trial)):
        recorded_events = events_of_whole_trial[:event_count]
        missing_replies = ["1.a", "1.b", "2.a", "2.b"]
        for event in recorded_events:
            if isinstance(event, ModelReplied):
                missing_replies.remove(event.reply)
        model.asked_names.clear()

        further_events = new_events(solve_in_two_steps, recorded_events=recorded_events)

        assert model.asked_names == missing_replies, event_count
        outputs: list[str] = []
        for event in [*recorded_events, *further_events]:
            if isinstance(event, StepDone):
                outputs.append(event.output)
        assert outputs == ["1.a 1.b", "2.a 2.b"], event_count


# What a trial spends
# --------------------------------------------------------------------------------------------------------------

COST_OF_REPLY_USD = 0.25
PRICED_REPLY = Reply(text="the word is heron", usage=USAGE, cost_usd=COST_OF_REPLY_USD)


def reply_priced(request: ModelRequest) -> Reply:
    return PRICED_REPLY


def reply_priced_to_side_request(
    request: ModelRequest, on_retry: Callable[[str], None]
) -> Reply:
    return PRICED_REPLY


def fail_with_price(request: ModelRequest) -> Reply:
    """Fail as an endpoint does whose reply has no text but must be paid."""
    error = ModelError("the reply has no text")
    error.paid = PRICED_REPLY
    raise error


def pay_for_three_replies(session: TrialSession) -> None:
    """Ask for a reply for the solver, for one that fails and is paid, and make a side request.

    A side request is not by the solver. Here, a model plays the user, with whom the solver talks.
    """
    session.ask(reply_priced, ModelRequest(MESSAGES, role="parse"))
    SideRequests(session).ask(
        reply_priced_to_side_request, ModelRequest(MESSAGES, role="user")
    )
    with pytest.raises(ModelError):
        session.ask(fail_with_price, ModelRequest(MESSAGES, role="parse"))


def test_every_paid_reply_counts_once_however_often_the_trial_is_resumed() -> None:
    """The trial is interrupted after each of its events in turn, and resumed. In the end, it has
    always spent three replies: the recorded ones, and those that it asked for again."""
    max_cost_usd = 9.0
    limited_trial = replace(TRIAL, max_cost_usd=max_cost_usd)
    whole = new_events(pay_for_three_replies)
    paid_replies = [event for event in whole if isinstance(event, ModelReplied)]
    assert len(paid_replies) == 3
    limit_after_three_replies = CostLimit(max_cost_usd)
    for _ in range(3):
        paid_reply = ModelReplied(
            trial_id="t", step=1, reply="", cost_usd=COST_OF_REPLY_USD
        )
        limit_after_three_replies.count_reply(paid_reply)

    final_limits: list[CostLimit] = []

    def pay_and_keep_limit(session: TrialSession) -> None:
        pay_for_three_replies(session)
        final_limits.append(session.budget.cost_limit)

    for event_count in range(len(whole) + 1):
        new_events(
            pay_and_keep_limit,
            recorded_events=whole[:event_count],
            trial=limited_trial,
        )
        assert final_limits[-1] == limit_after_three_replies, event_count


def test_a_trial_that_could_exceed_its_cost_limit_asks_no_model() -> None:
    """A second reply would probably cost as much as the first, and exceed the limit."""
    limited_trial = replace(TRIAL, max_cost_usd=1.2 * COST_OF_REPLY_USD)

    def ask_twice(session: TrialSession) -> None:
        session.ask(reply_priced, ModelRequest(MESSAGES, role="parse"))
        assert "--trial-cost" in session.budget.cost_limit.reason
        with pytest.raises(OutOfBudget, match="--trial-cost"):
            session.ask(
                lambda request: fail_if_asked(), ModelRequest(MESSAGES, role="parse")
            )

    new_events(ask_twice, trial=limited_trial)


# Replays that differ from the record
# --------------------------------------------------------------------------------------------------------------


def recording_of(step: StepDone) -> Recording:
    """Return what a journal has of a trial with this step."""
    record = trial_records_of([step])[TRIAL.trial_id]
    return Recording(TRIAL, TOOL_SCHEMA, record)


def recorded_step() -> StepDone:
    """Return the only step of a trial that `solve_in_one_step` solves."""
    events = new_events(solve_in_one_step)
    (step,) = [event for event in events if isinstance(event, StepDone)]
    return step


def test_another_verdict_than_the_recorded_one_is_a_difference(
    server: ForkServer,
) -> None:
    """The record has the opposite of what the gates say."""
    step = recorded_step()
    opposite_verdicts = tuple(
        verdict.model_copy(update={"accepted": not verdict.accepted})
        for verdict in step.verdicts
    )
    altered_step = step.model_copy(update={"verdicts": opposite_verdicts})

    (difference,) = rerun(recording_of(altered_step), server, RerunSettings())

    assert difference is not None
    assert difference.field.startswith("verdicts")


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

    (difference,) = rerun(recording_of(altered_step), server, RerunSettings())

    assert difference is not None
    assert difference.field.startswith("citations")


# Calls that the environment's own check stops
# --------------------------------------------------------------------------------------------------------------


class CheckoutAgainstRecords:
    """A trial in a shop whose basket must not be checked out, by its record and a document.

    The rule set `ecom` checks each changing call against the records before it is sent.
    """

    def __init__(self) -> None:
        task = generate_variant("basket-checkout: one line is short", "seed 1")
        self.basket_path = task.truth.for_tests["basket"]
        self.shop = RecordingEnvironment(workspace_of(task.world))
        self.events: list[TrialEvent] = []
        recorder = Recorder(TRIAL.trial_id, self.shop, self.events.append)
        self.session = new_session(
            TRIAL,
            with_functions_in_process(recorder),
            GateSettings(rule_sets=("ecom",)),
        )
        self.arguments: dict[str, Plain] = {
            "path": "/bin/checkout",
            "args": [task.truth.for_tests["id"]],
            "stdin": "",
        }

    def check_out(self) -> None:
        """Make the call that the records do not allow."""
        self.session.call("exec", self.arguments)

    @property
    def sent_count(self) -> int:
        """How often the checkout has reached the shop."""
        return self.shop.calls.count(("exec", self.arguments))


def test_a_call_against_the_records_is_stopped_once_and_sent_when_repeated() -> None:
    """The objection names the record and the page with the rule. A solver that makes the same
    call again has read it and may know better."""
    trial = CheckoutAgainstRecords()

    with pytest.raises(CallError, match=r"make the same call again") as stopped:
        trial.check_out()
    assert f"{trial.basket_path} and /docs/" in stopped.value.message
    assert trial.sent_count == 0

    trial.check_out()
    assert trial.sent_count == 1


def test_a_stopped_call_and_its_repetition_are_journalled() -> None:
    """The second event says what became of the first call."""
    trial = CheckoutAgainstRecords()
    with pytest.raises(CallError) as stopped:
        trial.check_out()
    trial.check_out()
    trial.session.steps.end()

    stops = [event for event in trial.events if isinstance(event, CallStopped)]

    first_stop, repetition = stops
    assert first_stop.arguments["path"] == "/bin/checkout"
    assert first_stop.then == "not done"
    assert first_stop.objection == stopped.value.message
    assert repetition.arguments["path"] == "/bin/checkout"
    assert repetition.then == "repeated and sent"
    assert repetition.objection == ""


def test_a_record_that_only_the_check_has_read_does_not_count_as_read() -> None:
    """The solver has not seen the record, so it cannot cite it."""
    trial = CheckoutAgainstRecords()
    with pytest.raises(CallError):
        trial.check_out()
    trial.check_out()
    trial.session.steps.end()

    recorder = trial.session.gated_exit.recorder

    assert trial.basket_path not in recorder.evidence_log.view().accesses
