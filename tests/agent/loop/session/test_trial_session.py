"""A trial as its solver sees it: it goes on from any event,
is judged again, and a held call is told once.
"""

from collections import Counter
from collections.abc import Callable
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
from tests.support.effect_counter import TOOL_SCHEMA, Tally
from tests.support.functions_here import with_functions
from tests.support.scored_journal import records_of

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
    """Read, cite, ask twice, submit without a citation's reason, and submit again."""
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
    why = {path: "the note says that the word is heron"}
    assert session.submit(
        Submission(answer="heron", outcome="OUTCOME_OK", refs_why=why)
    ).accepted


def done(
    tally: Tally,
    solve: Solve,
    events: list[TrialEvent] | None = None,
    trial: TrialContext = TRIAL,
) -> list[TrialEvent]:
    """Let `solve` work on the trial, which goes on behind `events`; return what it adds."""
    heard: list[TrialEvent] = []
    tape = Tape(records_of(events or []).get(TRIAL.trial_id, TrialRecord()))
    environment = tally.start_trial(TRIAL.trial_id).environment
    recorder = Recorder(TRIAL.trial_id, environment, heard.append, tape=tape)
    session = new_session(trial, recorder)
    solve(session)
    session.steps.end()
    return heard


def test_a_solver_goes_on_from_any_event_without_doing_anything_twice() -> None:
    whole = done(Tally(1), work)
    asked = max(at for at, each in enumerate(whole) if isinstance(each, ModelAsked)) + 2
    for cut in range(1, len(whole)):
        known = whole[:cut]
        last = known[-1]
        if (
            isinstance(last, CallEvent)
            and last.is_announcement
            and last.operation == "exec"
        ):
            continue  # whether that change was made is not known: the solver is told so
        solve = partial(work, complete=reply if cut < asked else refuse)
        events = [*known, *done(Tally(1), solve, known)]
        kinds = Counter(event.type for event in events)
        (step,) = [event for event in events if isinstance(event, StepDone)]
        assert (
            kinds["submission_judged"],
            kinds["citation"],
            kinds["model_replied"],
        ) == (
            2,
            2,
            2,
        ), cut
        calls = [event for event in events if isinstance(event, CallEvent)]
        finished = sum(not call.is_announcement for call in calls)
        assert (kinds["answer_sent"], finished, len(step.calls)) == (1, 2, 2), cut


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
    limited = replace(TRIAL, max_cost_usd=9.0)
    whole = done(Tally(1), spend)

    assert sum(isinstance(event, ModelReplied) for event in whole) == 3
    for cut in range(len(whole) + 1):
        sessions: list[TrialSession] = []

        def spend_again(
            session: TrialSession, sessions: list[TrialSession] = sessions
        ) -> None:
            sessions.append(session)
            spend(session)

        done(Tally(1), spend_again, whole[:cut], trial=limited)
        expected = CostLimit(9.0)
        for _ in range(3):
            expected.count_reply(
                ModelReplied(trial_id="t", step=1, reply="", cost_usd=0.25)
            )
        assert sessions[0].budget.cost_limit == expected, cut


def test_a_trial_that_has_spent_its_limit_asks_no_model() -> None:
    limited = replace(TRIAL, max_cost_usd=0.3)

    def ask_twice(session: TrialSession) -> None:
        session.ask(lambda request: PRICED, ModelRequest(MESSAGES, "parse"))
        assert "--trial-cost" in session.budget.cost_limit.reason
        with pytest.raises(OutOfBudget, match="--trial-cost"):
            session.ask(lambda request: refuse(), ModelRequest(MESSAGES, "parse"))

    done(Tally(1), ask_twice, trial=limited)


def test_steps_that_are_done_are_answered_from_the_record_and_not_written_again() -> (
    None
):
    def asks_twice_a_step(session: TrialSession) -> None:
        for number in (1, 2):
            with session.step() as step:
                replies = [
                    session.ask(
                        partial(said, f"{number}.{each}"), ModelRequest(MESSAGES)
                    ).reply
                    for each in "ab"
                ]
                step.done = StepDone(
                    trial_id=TRIAL.trial_id, step=step.number, output=" ".join(replies)
                )

    def said(text: str, request: ModelRequest) -> Reply:
        asked.append(text)
        return Reply(text=text)

    asked: list[str] = []
    whole = done(Tally(1), asks_twice_a_step)
    for cut in range(1, len(whole)):
        known = whole[:cut]
        replied = sum(isinstance(event, ModelReplied) for event in known)
        asked.clear()
        events = [*known, *done(Tally(1), asks_twice_a_step, known)]
        assert asked == ["1.a", "1.b", "2.a", "2.b"][replied:], cut
        assert [event.output for event in events if isinstance(event, StepDone)] == [
            "1.a 1.b",
            "2.a 2.b",
        ], cut


def recording(events: list[TrialEvent]) -> Recording:
    return Recording(TRIAL, TOOL_SCHEMA, records_of(events)[TRIAL.trial_id])


@pytest.mark.parametrize("field", ["verdicts", "citations"])
def test_another_judgement_of_what_it_did_is_a_difference(
    field: str, server: ForkServer
) -> None:
    (step,) = [event for event in done(Tally(1), work) if isinstance(event, StepDone)]
    if field == "verdicts":
        changed = tuple(
            verdict.model_copy(update={"accepted": not verdict.accepted})
            for verdict in step.verdicts
        )
    else:
        changed = tuple(
            citation.model_copy(update={"reason": "none at all"})
            for citation in step.citations
        )
        changed = tuple(
            citation.model_copy(update={"error": "", "spelling": "/draft.txt"})
            for citation in changed
        )
    altered = step.model_copy(update={field: changed})
    (difference,) = rerun(recording([altered]), server, RerunSettings())

    assert difference is not None
    assert difference.field.startswith(field)


CHECKOUT = "/bin/checkout"


def test_a_call_against_the_records_is_told_once_with_record_and_page_and_sent_when_made_again() -> (
    None
):
    task = generate_variant("basket-checkout#2", "seed 1")
    shop, basket = (
        RecordingEnvironment(workspace_of(task.world)),
        task.truth.for_tests["basket"],
    )
    events: list[TrialEvent] = []
    recorder = with_functions(Recorder(TRIAL.trial_id, shop, events.append))
    session = new_session(TRIAL, recorder, GateSettings(rule_sets=("ecom",)))
    checkout: dict[str, Plain] = {
        "path": CHECKOUT,
        "args": [task.truth.for_tests["id"]],
        "stdin": "",
    }
    with pytest.raises(CallError, match=r"make the same call again") as told:
        session.call("exec", checkout)

    assert f"{basket} and /docs/" in told.value.message
    assert ("exec", checkout) not in shop.calls
    session.call("exec", checkout)
    session.steps.end()
    assert shop.calls.count(("exec", checkout)) == 1
    stopped = [event for event in events if isinstance(event, CallStopped)]
    assert [
        (event.arguments["path"], event.then, event.objection) for event in stopped
    ] == [
        (CHECKOUT, "not done", told.value.message),
        (CHECKOUT, "repeated and sent", ""),
    ]
    assert basket not in session.gated_exit.recorder.evidence_log.view().accesses
