"""A trial as its solver sees it: it goes on from any event,
is judged again, and a held call is told once.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import pytest

from controlplane.agent.events import (
    CallEvent,
    CallStopped,
    ModelAsked,
    ModelReplied,
    StepDone,
    TrialEvent,
)
from controlplane.agent.evidence import Recorder, Tape
from controlplane.agent.limits.cost_limit import CostLimit
from controlplane.agent.loop import TrialContext, TrialSession, new_session
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
Solve = Callable[[TrialSession], None]


class Asked(Exception):
    """A model was asked although the record holds its reply."""


def reply() -> Reply:
    return Reply(text="the word is heron", usage=USAGE)


def refuse() -> Reply:
    raise Asked


def work(session: TrialSession, complete: Callable[[], Reply] = reply) -> None:
    """Solve the trial in one step: two calls, citations, model replies and submissions each.

    The first citation is of a file that was not read, and the first submission is rejected.
    """
    session.call("read", {"path": "/note.txt"})
    with pytest.raises(ValueError, match="not read"):
        session.check_citation("/draft.txt", "the draft of the word")
    for _ in range(2):
        session.ask(lambda request: complete(), ModelRequest(MESSAGES, "parse"))
    assert not session.submit(
        Submission(answer="heron", outcome="OUTCOME_OK", refs_why={"/draft.txt": "?"})
    ).accepted
    session.call("exec", {"path": "/bin/checkout", "args": [], "stdin": ""})
    path = session.check_citation("/note.txt", "the note says that the word is heron")
    reasons = {path: "the note says that the word is heron"}
    assert session.submit(
        Submission(answer="heron", outcome="OUTCOME_OK", refs_why=reasons)
    ).accepted


def new_events(
    solve: Solve,
    recorded_events: Sequence[TrialEvent] = (),
    trial: TrialContext = TRIAL,
) -> list[TrialEvent]:
    """Let `solve` work on a trial, and return the events that this adds to the recorded ones.

    With recorded events, the trial is a resumed one, in a fresh environment.
    """
    events: list[TrialEvent] = []
    record = trial_records_of(recorded_events).get(TRIAL.trial_id, TrialRecord())
    environment = EffectCounterBenchmark(1).start_trial(TRIAL.trial_id).environment
    recorder = Recorder(TRIAL.trial_id, environment, events.append, tape=Tape(record))
    session = new_session(trial, recorder)
    solve(session)
    session.steps.end()
    return events


def is_announced_change(event: TrialEvent) -> bool:
    """Return True for the event that says that a change is about to be made."""
    if not isinstance(event, CallEvent):
        return False
    return event.is_announcement and event.operation == "exec"


def test_a_solver_goes_on_from_any_event_without_doing_anything_twice() -> None:
    """Cut the journal after each event, resume from there, and count all events."""
    whole = new_events(work)
    requests = [
        position
        for position, event in enumerate(whole)
        if isinstance(event, ModelAsked)
    ]
    # The reply is the event after its request. Behind it, no model must be asked.
    first_cut_with_all_replies = requests[-1] + 2

    for cut in range(1, len(whole)):
        recorded = whole[:cut]
        if is_announced_change(recorded[-1]):
            continue  # whether that change was made is not known: the solver is told so
        if cut < first_cut_with_all_replies:
            solve = partial(work, complete=reply)
        else:
            solve = partial(work, complete=refuse)

        events = [*recorded, *new_events(solve, recorded)]

        type_counts = Counter(event.type for event in events)
        assert type_counts["submission_judged"] == 2, cut
        assert type_counts["citation"] == 2, cut
        assert type_counts["model_replied"] == 2, cut
        assert type_counts["answer_sent"] == 1, cut
        finished_calls = [
            event
            for event in events
            if isinstance(event, CallEvent) and not event.is_announcement
        ]
        assert len(finished_calls) == 2, cut
        (step,) = [event for event in events if isinstance(event, StepDone)]
        assert len(step.calls) == 2, cut


PRICED = Reply(text="the word is heron", usage=USAGE, cost_usd=0.25)


def spend(session: TrialSession) -> None:
    """Pay for a reply of the solver, a side reply, and a reply that could not be used."""

    def fail(request: ModelRequest) -> Reply:
        error = ModelError("the reply has no text")
        error.paid = PRICED
        raise error

    session.ask(lambda request: PRICED, ModelRequest(MESSAGES, "parse"))
    session.side_requests.ask(
        lambda request, on_retry: PRICED, ModelRequest(MESSAGES, "user")
    )
    with pytest.raises(ModelError):
        session.ask(fail, ModelRequest(MESSAGES, "parse"))


def test_every_paid_reply_counts_once_however_often_the_trial_is_resumed() -> None:
    """Cut the journal after each event, resume from there, and compare what was spent."""
    limited = replace(TRIAL, max_cost_usd=9.0)
    whole = new_events(spend)
    assert sum(isinstance(event, ModelReplied) for event in whole) == 3
    expected_limit = CostLimit(9.0)
    for _ in range(3):
        paid_reply = ModelReplied(trial_id="t", step=1, reply="", cost_usd=0.25)
        expected_limit.count_reply(paid_reply)

    cost_limits: list[CostLimit] = []

    def spend_and_keep_limit(session: TrialSession) -> None:
        spend(session)
        cost_limits.append(session.budget.cost_limit)

    for cut in range(len(whole) + 1):
        new_events(spend_and_keep_limit, whole[:cut], trial=limited)
        assert cost_limits[-1] == expected_limit, cut


def test_a_trial_that_has_spent_its_limit_asks_no_model() -> None:
    # A second reply, for 0.25 dollars as the first, could exceed the limit.
    limited = replace(TRIAL, max_cost_usd=0.3)

    def ask_twice(session: TrialSession) -> None:
        session.ask(lambda request: PRICED, ModelRequest(MESSAGES, "parse"))
        assert "--trial-cost" in session.budget.cost_limit.reason
        with pytest.raises(OutOfBudget, match="--trial-cost"):
            session.ask(lambda request: refuse(), ModelRequest(MESSAGES, "parse"))

    new_events(ask_twice, trial=limited)


def test_steps_that_are_done_are_answered_from_the_record_and_not_written_again() -> (
    None
):
    """Two steps ask the model twice each. Cut the journal after each event and resume."""
    asked_texts: list[str] = []

    def reply_with(text: str, request: ModelRequest) -> Reply:
        asked_texts.append(text)
        return Reply(text=text)

    def ask_twice_per_step(session: TrialSession) -> None:
        for number in (1, 2):
            with session.step() as step:
                first_model = partial(reply_with, f"{number}.a")
                first_reply = session.ask(first_model, ModelRequest(MESSAGES)).reply
                second_model = partial(reply_with, f"{number}.b")
                second_reply = session.ask(second_model, ModelRequest(MESSAGES)).reply
                step.done = StepDone(
                    trial_id=TRIAL.trial_id,
                    step=step.number,
                    output=f"{first_reply} {second_reply}",
                )

    whole = new_events(ask_twice_per_step)
    assert asked_texts == ["1.a", "1.b", "2.a", "2.b"]

    for cut in range(1, len(whole)):
        recorded = whole[:cut]
        recorded_replies = sum(isinstance(event, ModelReplied) for event in recorded)
        asked_texts.clear()

        events = [*recorded, *new_events(ask_twice_per_step, recorded)]

        assert asked_texts == ["1.a", "1.b", "2.a", "2.b"][recorded_replies:], cut
        outputs = [event.output for event in events if isinstance(event, StepDone)]
        assert outputs == ["1.a 1.b", "2.a 2.b"], cut


def recording(events: list[TrialEvent]) -> Recording:
    return Recording(TRIAL, TOOL_SCHEMA, trial_records_of(events)[TRIAL.trial_id])


def recorded_step() -> StepDone:
    """Return the only step of a trial that `work` solves."""
    (step,) = [event for event in new_events(work) if isinstance(event, StepDone)]
    return step


def test_another_verdict_than_the_recorded_one_is_a_difference(
    server: ForkServer,
) -> None:
    step = recorded_step()
    opposite_verdicts = tuple(
        verdict.model_copy(update={"accepted": not verdict.accepted})
        for verdict in step.verdicts
    )
    altered_step = step.model_copy(update={"verdicts": opposite_verdicts})

    (difference,) = rerun(recording([altered_step]), server, RerunSettings())

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

    (difference,) = rerun(recording([altered_step]), server, RerunSettings())

    assert difference is not None
    assert difference.field.startswith("citations")


def test_a_call_against_the_records_is_stopped_once_and_sent_when_repeated() -> None:
    """A checkout that the basket's record does not allow is stopped before it is made.

    The objection names the record and the page with the rule. A solver that makes the same
    call again has its way.
    """
    task = generate_variant("basket-checkout#2", "seed 1")
    basket_path = task.truth.for_tests["basket"]
    basket_id = task.truth.for_tests["id"]
    shop = RecordingEnvironment(workspace_of(task.world))
    events: list[TrialEvent] = []
    recorder = with_functions_in_process(Recorder(TRIAL.trial_id, shop, events.append))
    session = new_session(TRIAL, recorder, GateSettings(rule_sets=("ecom",)))
    checkout: dict[str, Plain] = {
        "path": "/bin/checkout",
        "args": [basket_id],
        "stdin": "",
    }

    with pytest.raises(CallError, match=r"make the same call again") as stopped:
        session.call("exec", checkout)
    objection = stopped.value.message
    assert f"{basket_path} and /docs/" in objection
    assert ("exec", checkout) not in shop.calls

    session.call("exec", checkout)
    session.steps.end()
    assert shop.calls.count(("exec", checkout)) == 1

    stop_events = [event for event in events if isinstance(event, CallStopped)]
    first_stop, repetition = stop_events
    assert first_stop.arguments["path"] == "/bin/checkout"
    assert first_stop.then == "not done"
    assert first_stop.objection == objection
    assert repetition.arguments["path"] == "/bin/checkout"
    assert repetition.then == "repeated and sent"
    assert repetition.objection == ""
    # The check read the record for itself: the solver has not seen it.
    accesses = session.gated_exit.recorder.evidence_log.view().accesses
    assert basket_path not in accesses
