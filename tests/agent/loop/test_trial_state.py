"""What a trial knows is the same after living
its steps and after applying them from the journal."""

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from controlplane.agent.events import (
    ConversationOpened,
    ScriptMeasured,
    StepDone,
    TrialEvent,
)
from controlplane.agent.loop import BudgetLimits, TrialSession
from controlplane.agent.loop.turn_loop import TurnLoop
from controlplane.agent.model import Reply, Usage
from controlplane.agent.record.events_by_step import peak_memory_by_step
from controlplane.gates.evidence import Evidence
from controlplane.sandbox import ForkServer
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import InitialCall
from tests.support.effect_counter import (
    FILES,
    TOOL_SCHEMA,
    CountingEnvironment,
    EffectCounterBenchmark,
)
from tests.support.exoskeleton_trials import (
    FIND_BOOKS_BY_AUSTEN,
    ModelByTurn,
    completion_call,
    run_attempt,
    tool_call,
)
from tests.support.scored_journal import (
    TWO_TRIALS_EVENTS,
    read_events,
    trial_records_of,
    write_journal,
)
from tests.support.single_trial import solve_trial, step_reply

THREE_STEPS = BudgetLimits(max_steps=3, extra_steps=0)
READS_AND_CITES = step_reply(
    "harness.read('/note.txt')\n"
    "scratchpad.cite('/note.txt', 'it says so there', quote='the word is heron')\n"
    "print('read')"
)
CHANGES = step_reply("print(harness.exec('/bin/checkout').stdout)")
REFUSED = step_reply("import socket")
SENT_BACK = step_reply(
    "scratchpad['answer'], scratchpad['outcome'] = 'crane', 'OUTCOME_OK'\n"
    "scratchpad['refs_why'] = {'/never/read.txt': 'it says crane'}\n"
    "try:\n    harness.answer(scratchpad, lambda sp: sp['answer'] == 'crane')\n"
    "except GateRejection as error:\n    print(error)"
)
FAILS = step_reply("harness.read('/no/such/file.txt')")
PRICED = Reply(
    text=CHANGES, cost_usd=0.25, usage=Usage(prompt_tokens=900, completion_tokens=20)
)
SCRIPTS = [
    READS_AND_CITES,
    "no JSON",
    PRICED,
    REFUSED,
    CHANGES,
    SENT_BACK,
    FAILS,
    FAILS,
]


def state_of(session: TrialSession, turns: TurnLoop) -> dict[str, Any]:
    """Return everything that a trial knows between two steps."""
    recorder = session.gated_exit.recorder
    gated_exit = session.gated_exit
    evidence = recorder.evidence_log.view()
    return {
        **{
            f"evidence.{part.name}": getattr(evidence, part.name)
            for part in fields(Evidence)
        },
        "known texts": vars(recorder.call_origins.provenance._texts),
        "untrusted values": recorder.call_origins.provenance._untrusted,
        "stopped": vars(recorder.checks.stops.stopped_calls),
        "limits": session.limits,
        "last": gated_exit.history,
        "accepted": gated_exit.outlet.accepted and gated_exit.outlet.accepted.message,
        "is over": (gated_exit.is_closed, gated_exit.outlet.is_answered),
        "spending": session.budget.cost_limit,
        "used_ms": session.steps.last and session.steps.last.used_ms,
        "conversation": turns.conversation,
        "steps": turns.limits.steps,
        "context": turns.limits.context,
        "repetition": turns.limits.repetition,
        "unusable": turns.limits.unusable,
    }


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> list[TurnLoop]:
    """The turn loops that were run, in order."""
    seen: list[TurnLoop] = []
    run = TurnLoop.run

    def noted(self: TurnLoop) -> str:
        seen.append(self)
        return run(self)

    monkeypatch.setattr(TurnLoop, "run", noted)
    return seen


def events_of(loop: TurnLoop) -> list[TrialEvent]:
    """Return the events that a loop emitted, which a list hears."""
    heard: list[TrialEvent] = loop.session.gated_exit.recorder.emit.__self__  # type: ignore[attr-defined] # a bound method
    return heard


def whole_steps(events: Sequence[TrialEvent]) -> int:
    return sum(isinstance(event, StepDone) for event in events)


@pytest.mark.parametrize("count", range(1, len(SCRIPTS) + 1))
def test_a_script_trial_knows_the_same_after_living_its_steps_and_after_applying_them(
    count: int, server: ForkServer, loops: list[TurnLoop]
) -> None:
    def tally() -> EffectCounterBenchmark:
        benchmark = EffectCounterBenchmark(1)
        benchmark.start_trial("run1-0")
        tree = FileTree({**FILES, "/note.txt": "a note\n\nthe word is heron\n"})
        benchmark.worlds["run1-0"].tree = tree
        return benchmark

    with pytest.raises(Exception, match="no more replies"):
        solve_trial(tally(), "run1-0", SCRIPTS[:count], server)
    lived = loops[-1]

    assert whole_steps(events_of(lived)) == count

    record = trial_records_of(events_of(lived))["run1-0"]
    with pytest.raises(Exception, match="no more replies"):
        solve_trial(tally(), "run1-0", [], server, record=record)
    applied = loops[-1]
    assert applied is not lived
    assert state_of(applied.session, applied) == state_of(lived.session, lived)


READ = tool_call("read", path="/books/emma.txt", start_line=0, end_line=0)
LEND = tool_call("exec", path="/bin/lend")
WRONG = completion_call(
    records=[{"path": "/books/none.txt", "reason": "it says by nobody"}]
)
TURNS = [
    [READ, FIND_BOOKS_BY_AUSTEN],
    "I think I know.",
    [LEND],
    [WRONG, READ],
    [FIND_BOOKS_BY_AUSTEN],
]


@pytest.mark.parametrize("count", range(1, len(TURNS) + 1))
def test_a_tool_trial_knows_the_same_after_living_its_steps_and_after_repeating_them(
    count: int, loops: list[TurnLoop]
) -> None:
    parts = "classifier formatter references evidence-store"
    with pytest.raises(IndexError):
        run_attempt(ModelByTurn(TURNS[:count]), parts=parts)
    lived = loops[-1]

    assert whole_steps(events_of(lived)) >= count

    with pytest.raises(IndexError):
        run_attempt(ModelByTurn(TURNS[:count]), parts=parts, known=events_of(lived))
    repeated = loops[-1]
    assert whole_steps(events_of(repeated)) == 0
    assert state_of(repeated.session, repeated) == state_of(lived.session, lived)


def test_a_step_tells_the_memory_of_its_script_and_a_resumed_one_tells_it_once(
    server: ForkServer,
) -> None:
    scripts = [step_reply("print(1)"), step_reply("print(2)")]
    lived = solve_trial(
        EffectCounterBenchmark(1),
        "run1-0",
        [*scripts, step_reply("print(3)")],
        server,
        budget=THREE_STEPS,
    )
    measured = [event for event in lived.events if isinstance(event, ScriptMeasured)]

    assert [event.step for event in measured] == [1, 2, 3]
    assert all(event.peak_memory_bytes > 1_000_000 for event in measured)

    cut = lived.events.index(measured[1]) + 1
    record = trial_records_of(lived.events[:cut])["run1-0"]
    assert peak_memory_by_step(record.all_steps) == {
        1: measured[0].peak_memory_bytes,
        2: measured[1].peak_memory_bytes,
    }
    resumed = solve_trial(
        EffectCounterBenchmark(1),
        "run1-0",
        [step_reply("print(3)")],
        server,
        budget=THREE_STEPS,
        record=record,
    )
    again = [
        event.step for event in resumed.events if isinstance(event, ScriptMeasured)
    ]
    assert again == [3]


def test_a_changing_call_of_the_initial_prompt_is_read_back_from_the_journal(
    server: ForkServer,
    loops: list[TurnLoop],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    initial_calls = (
        InitialCall("read", {"path": "/AGENTS.MD"}),
        InitialCall("read", {"path": "/note.txt"}),
        InitialCall("exec", {"path": "/bin/checkout"}),
    )
    tool_schema = replace(TOOL_SCHEMA, initial_calls=initial_calls)
    monkeypatch.setattr(CountingEnvironment, "tool_schema", tool_schema)
    benchmark = EffectCounterBenchmark(1)
    benchmark.start_trial("run1-0")
    with pytest.raises(Exception, match="no more replies"):
        solve_trial(benchmark, "run1-0", [READS_AND_CITES], server)
    lived = events_of(loops[-1])

    read_back = list(
        read_events(write_journal(tmp_path / "r.jsonl", [TWO_TRIALS_EVENTS[0], *lived]))
    )

    opened = next(event for event in read_back if isinstance(event, ConversationOpened))
    made = [(call.operation, call.state) for call in opened.calls]
    assert made == [("read", "made"), ("read", "made"), ("exec", "made")]
