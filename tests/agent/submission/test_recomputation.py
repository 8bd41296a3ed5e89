"""Rules that read the workspace: their bounds, their place in the journal, their replay; and they are no evidence."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agent.events import AgentEvent, CallFailure, Judged, StepDone
from agent.events.trial_events import ExitCallDone, ExitCallSent
from agent.evidence import Recorder, StepRecord
from agent.loop import Recording, RerunSettings, TrialContext, TrialSession, rerun
from agent.submission import GateSettings, judging_modules
from agent.submission.recomputation import STOPPED
from controlplane.journal.trial_record import records_of
from gates import ALL_GATES, Submission
from gates.reading import ReadLimits
from sandbox import Aide, ForkServer
from sandbox.interface import CallError, Plain, Surface
from tests.support.effect_counter import FILES, SURFACE, World
from tests.support.reading_pack import NAME

NOW = datetime(2031, 5, 4, tzinfo=UTC)
GATES = GateSettings(ALL_GATES, (NAME,))
RIGHT, WRONG = (Submission(answer=each, outcome="OUTCOME_OK", refs=()) for each in ("heron", "stork"))
LIMITS = ReadLimits(wall_s=1.0)
Solve = Callable[[TrialSession], object]


@pytest.fixture(scope="module")
def reading_server() -> Iterator[ForkServer]:
    with ForkServer(judging_modules((NAME,))) as running:
        yield running


class Workspace(World):
    """The counting world with what the rules look for; it counts every call."""

    def __init__(self) -> None:
        super().__init__(Counter())
        self.calls: list[str] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        self.calls.append(operation)
        path = str(arguments.get("path"))
        if operation == "read" and path == "/large.txt":
            return {"path": path, "content": "x" * 20_000_000, "truncated": False, "sha256": ""}
        if operation == "read" and path[1:2].isdigit():
            return {"path": path, "content": path, "truncated": False, "sha256": ""}
        return super().call(operation, arguments)


class SlowWorkspace(Workspace):
    """Answers reads of files with numbers when it is told to."""

    def __init__(self, surface: Surface = SURFACE) -> None:
        super().__init__()
        self.surface = surface
        self.release = threading.Event()

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if str(arguments.get("path"))[1:2].isdigit():
            self.release.wait(20)
        return super().call(operation, arguments)


def trial_of(instruction: str) -> TrialContext:
    return TrialContext("run1-0", "tally.0", instruction, NOW)


def done(
    server: ForkServer,
    world: Workspace,
    solve: Solve,
    *,
    instruction: str = "say the word",
    known: list[AgentEvent] | None = None,
) -> list[AgentEvent]:
    """Let `solve` work on a trial, which goes on behind the events that are known; return what it adds."""
    heard: list[AgentEvent] = []
    record = records_of(known or []).get("run1-0")
    with Aide(server) as aide:
        recorder = Recorder("run1-0", world, heard.append, aide=aide)
        state = record.resume_state() if record else None
        session = TrialSession(trial_of(instruction), recorder, GATES, resume_state=state)
        solve(session)
        session.end_step()
    return heard


def submits(*submissions: Submission) -> Solve:
    return lambda session: [session.submit(each) for each in submissions]


def step_of(events: list[AgentEvent]) -> StepDone:
    (step,) = [each for each in events if isinstance(each, StepDone)]
    return step


def verdict_of(judged: Judged, rule: str) -> tuple[str, str]:
    (found,) = [each for each in judged.verdicts if each.name == f"reading/{rule}"]
    return found.result, found.reason


def deed(server: ForkServer, instruction: str, world: Workspace | None = None) -> tuple[str, StepDone]:
    """Return the reason why a deed's rule does not apply, and the step; the other rule has its verdict all the same."""
    step = step_of(done(server, world or Workspace(), submits(RIGHT), instruction=instruction))
    (judged,) = step.verdicts
    result, reason = verdict_of(judged, "deed")
    assert result == "not_applicable"
    assert judged.accepted
    return reason, step


def as_read(events: list[AgentEvent]) -> list[AgentEvent]:
    """Return the events as a journal's reader joins them: a step holds the results of its calls."""
    record, joined = StepRecord(), list[AgentEvent]()
    for each in events:
        record.take(each)
        if isinstance(each, StepDone):
            parts = {"calls": tuple(record.calls), "exit_calls": tuple(record.exit_calls)}
            joined.append(each.model_copy(update=parts))
        else:
            joined.append(each)
    return joined


def replayed(server: ForkServer, events: list[AgentEvent], instruction: str = "say the word") -> list[object]:
    recording = Recording(trial_of(instruction), SURFACE, records_of(as_read(events))["run1-0"].resume_state())
    return list(rerun(recording, server, RerunSettings(GATES)))


def test_a_rule_rejects_by_what_it_reads_and_its_call_is_the_exits(reading_server: ForkServer) -> None:
    world = Workspace()
    events = done(reading_server, world, submits(WRONG, RIGHT))
    step = step_of(events)
    assert [each.accepted for each in step.verdicts] == [False, True]
    assert step.verdicts[0].message == "[reading/word] The note says another word: read it again."
    assert step.calls == ()
    (call,) = step.exit_calls
    assert (call.operation, call.submission) == ("read", 0)
    assert call.arguments == {"path": "/note.txt", "start_line": 0, "end_line": 0}
    assert [each.type for each in events][:3] == ["exit_call_sent", "exit_call_done", "submission_judged"]


def test_what_did_not_change_is_read_once_and_a_change_has_it_read_again(reading_server: ForkServer) -> None:
    def solve(session: TrialSession) -> None:
        session.submit(WRONG)
        session.submit(WRONG)
        session.call("read", {"path": "/draft.txt"})
        session.submit(WRONG)
        session.call("write", {"path": "/note.txt", "content": "the word is stork"})
        assert session.submit(WRONG).accepted

    world = Workspace()
    events = done(reading_server, world, solve)
    assert [each.submission for each in step_of(events).exit_calls] == [0, 3]
    assert world.calls == ["read", "read", "write", "read"]
    assert replayed(reading_server, events) == [None]


def test_what_the_exit_reads_is_no_evidence(reading_server: ForkServer) -> None:
    def solve(session: TrialSession) -> None:
        session.submit(WRONG)
        with pytest.raises(ValueError, match="was not read"):
            session.cite("/note.txt", "the note that names the word")
        cited = Submission(answer="heron", outcome="OUTCOME_OK", refs_why={"/note.txt": "it says heron"})
        assert "[gate 4" in session.submit(cited).message
        assert session.trace.notes == []

    done(reading_server, Workspace(), solve)


@pytest.mark.parametrize(
    ("instruction", "reason"),
    [
        ("change", "write /new.txt is not declared to only read"),
        ("tool that changes", "exec /bin/checkout is not declared to only read"),
        ("unknown tool", "exec /bin/other is not declared to only read"),
        ("no such operation", "there is no operation dig"),
        ("other arguments", "read(path, start_line=0, end_line=0)"),
        ("long path", "a path has at most 1024 characters"),
        ("missing", "/gone.txt"),
        ("unknown", "no number is stated"),
        ("odd", "what was read has another form (ValueError)"),
        ("crowd", "a submission is judged by at most 40 calls"),
        ("one by one", "a submission is judged by at most 40 calls"),
    ],
)
def test_a_rule_whose_reads_fail_or_are_refused_does_not_apply(
    instruction: str, reason: str, reading_server: ForkServer
) -> None:
    world = Workspace()
    events = done(reading_server, world, submits(RIGHT), instruction=instruction)
    (judged,) = step_of(events).verdicts
    assert verdict_of(judged, "word") == ("pass", "")
    result, why = verdict_of(judged, "deed")
    assert result == "not_applicable"
    assert reason in why
    assert not why.startswith(STOPPED)
    assert judged.accepted
    assert world.effects.keys() == {"answer"}
    assert len(step_of(events).exit_calls) == len(world.calls) <= 40
    assert replayed(reading_server, events, instruction) == [None]


def test_a_tool_that_is_declared_to_read_may_run(reading_server: ForkServer) -> None:
    (judged,) = step_of(done(reading_server, Workspace(), submits(RIGHT), instruction="identity")).verdicts
    assert verdict_of(judged, "deed") == ("reject", "it ran")


@pytest.mark.parametrize(
    ("instruction", "reason"),
    [("loop", "0.3 s of CPU"), ("broken", "RuntimeError"), ("large", "more than 16000000 bytes")],
)
def test_a_rule_that_is_stopped_does_not_apply_and_a_replay_says_the_same(
    instruction: str, reason: str, reading_server: ForkServer
) -> None:
    events = done(reading_server, Workspace(), submits(RIGHT), instruction=instruction)
    (judged,) = step_of(events).verdicts
    result, why = verdict_of(judged, "deed")
    assert (result, why.startswith(STOPPED)) == ("not_applicable", True)
    assert reason in why
    assert judged.accepted
    assert replayed(reading_server, events, instruction) == [None]


def test_a_call_that_is_late_is_left_to_itself_and_costs_its_rules_alone(
    reading_server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.submission.exit_reads.ReadLimits", lambda: LIMITS)
    world = SlowWorkspace(replace(SURFACE, reads_side_by_side=True))
    try:
        reason, step = deed(reading_server, "crowd", world)
    finally:
        world.release.set()
    assert reason.startswith(STOPPED)
    assert {each.error.code for each in step.exit_calls if each.error} == {"deadline_exceeded"}
    assert [each.operation for each in step.exit_calls] == ["read"] * 40
    assert world.answers == ["OUTCOME_OK: heron"]


def test_calls_that_take_turns_end_when_their_time_is_over(
    reading_server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.submission.exit_reads.ReadLimits", lambda: LIMITS)
    world = SlowWorkspace()
    timer = threading.Timer(LIMITS.wall_s + 0.2, world.release.set)
    timer.start()
    reason, step = deed(reading_server, "crowd", world)
    timer.join()
    assert reason.startswith(STOPPED)
    assert len(step.exit_calls) == 2  # the note, and the first of the others


def test_a_platform_that_fails_costs_the_rules_alone(reading_server: ForkServer) -> None:
    class Broken(Workspace):
        def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
            raise CallError("unavailable", "nobody is there")

    events = done(reading_server, Broken(), submits(WRONG))
    (judged,) = step_of(events).verdicts
    assert verdict_of(judged, "word") == ("not_applicable", "nobody is there")
    assert judged.accepted
    assert step_of(events).exit_calls[0].error == CallFailure(code="unavailable", message="nobody is there")
    assert replayed(reading_server, events) == [None]


def test_a_trial_goes_on_from_any_event_and_replays(reading_server: ForkServer) -> None:
    def solve(session: TrialSession) -> None:
        session.submit(WRONG)
        session.call("write", {"path": "/draft.txt", "content": "anew"})
        session.submit(RIGHT)

    def comparable(events: list[AgentEvent]) -> StepDone:
        calls = tuple(each.model_copy(update={"elapsed_ms": 0.0, "result": {}}) for each in step_of(events).exit_calls)
        return step_of(events).model_copy(update={"at_ms": 0, "calls": (), "exit_calls": calls})

    whole = done(reading_server, Workspace(), solve, instruction="one by one")
    assert len(step_of(whole).exit_calls) > 41
    cuts = [at for at in range(1, len(whole)) if getattr(whole[at - 1], "operation", "") != "write"]
    for cut in [*cuts[:4], *cuts[38:44], *cuts[75:90:3], *cuts[-8:]]:
        known = whole[:cut]
        events = [*known, *done(reading_server, Workspace(), solve, instruction="one by one", known=known)]
        assert comparable(events) == comparable(whole), cut
        sent = Counter((each.submission, each.number) for each in events if isinstance(each, ExitCallSent))
        assert [each for each in sent if sent[each] > 1] == [
            (each.submission, each.number) for each in known[-1:] if isinstance(each, ExitCallSent)
        ]
    assert replayed(reading_server, events, "one by one") == [None]


def test_without_their_record_the_reads_are_not_made_again(reading_server: ForkServer) -> None:
    events = done(reading_server, Workspace(), submits(WRONG))
    bare = [each for each in events if not isinstance(each, ExitCallSent | ExitCallDone)]
    (difference,) = replayed(reading_server, bare)
    assert verdict_of(difference.now, "word") == ("not_applicable", "the record holds no such call")


def test_a_session_without_an_aide_reads_nothing() -> None:
    world, heard = Workspace(), list[AgentEvent]()
    session = TrialSession(trial_of("say the word"), Recorder("run1-0", world, heard.append), GATES)
    assert verdict_of(session.submit(WRONG), "word") == ("not_applicable", "there is no workspace to read")
    assert world.calls == []
    assert FILES["/note.txt"].endswith("heron")
