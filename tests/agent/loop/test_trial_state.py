"""A resumed trial knows what the interrupted one knew.

Between two steps, a trial knows its evidence, its limits, its conversation and more. A resumed
trial does not run the recorded steps again but applies them from the journal, and must then know
exactly the same. Otherwise it would go on differently than without the interruption.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from controlplane.agent.loop import BudgetLimits
from controlplane.agent.loop.turn_loop import TurnLoop
from controlplane.agent.model import ModelError, Reply, Usage
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

# What a trial knows
# --------------------------------------------------------------------------------------------------------------


def state_of(loop: TurnLoop) -> dict[str, Any]:
    """Return everything that a trial knows between two steps, by a name for each part.

    No public interface shows all of it, so private fields are read, too. The states of two trials
    are compared with `==`, part by part.
    """
    session = loop.session
    gated_exit = session.gated_exit
    recorder = gated_exit.recorder
    provenance = recorder.call_origins.provenance
    outlet = gated_exit.outlet
    state: dict[str, Any] = {
        # what was read, and where its values come from
        "known texts": vars(provenance._texts),
        "untrusted values": provenance._untrusted,
        "stopped calls": vars(recorder.checks.stops.stopped_calls),
        # submissions
        "submissions": gated_exit.judge.history,
        "accepted answer": outlet.accepted.message if outlet.accepted else "",
        "is closed": gated_exit.is_closed,
        "is answered": outlet.is_answered,
        # limits
        "limits": session.steps.limits,
        "spending": session.budget.cost_limit,
        "used time": session.steps.last.used_ms if session.steps.last else 0,
        "steps": loop.limits.steps,
        "context": loop.limits.context,
        "repetition": loop.limits.repetition,
        "unusable replies": loop.limits.unusable,
        "conversation": loop.conversation,
    }
    evidence = recorder.evidence_log.view()
    for part in fields(Evidence):
        state[f"evidence.{part.name}"] = getattr(evidence, part.name)
    return state


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> list[TurnLoop]:
    """Return a list that gets the loop of each trial that runs from here on."""
    started_loops: list[TurnLoop] = []
    original_run = TurnLoop.run

    def run_and_keep(self: TurnLoop) -> str:
        started_loops.append(self)
        return original_run(self)

    monkeypatch.setattr(TurnLoop, "run", run_and_keep)
    return started_loops


def count_of_steps(events: Sequence[TrialEvent]) -> int:
    """Return the number of whole steps among events."""
    return len([event for event in events if isinstance(event, StepDone)])


# A trial with scripts
# --------------------------------------------------------------------------------------------------------------

READS_AND_CITES = step_reply(
    "harness.read('/note.txt')\n"
    "scratchpad.cite('/note.txt', 'it says so there', quote='the word is heron')\n"
    "print('read')"
)
CHECKS_OUT = step_reply("print(harness.exec('/bin/checkout').stdout)")
SUBMITS_WRONG_ANSWER = step_reply(
    "scratchpad['answer'], scratchpad['outcome'] = 'crane', 'OUTCOME_OK'\n"
    "scratchpad['refs_why'] = {'/never/read.txt': 'it says crane'}\n"
    "try:\n    harness.answer(scratchpad, lambda sp: sp['answer'] == 'crane')\n"
    "except GateRejection as error:\n    print(error)"
)
FORBIDDEN_SCRIPT = step_reply("import socket")
FAILING_SCRIPT = step_reply("harness.read('/no/such/file.txt')")
PRICED_REPLY = Reply(
    text=CHECKS_OUT,
    cost_usd=0.25,
    usage=Usage(prompt_tokens=900, completion_tokens=20),
)
REPLIES = [
    READS_AND_CITES,
    "no JSON",
    PRICED_REPLY,
    FORBIDDEN_SCRIPT,
    CHECKS_OUT,
    SUBMITS_WRONG_ANSWER,
    FAILING_SCRIPT,
    FAILING_SCRIPT,
]
"""Replies of a model that change something of every part of what a trial knows."""


def benchmark_with_note() -> EffectCounterBenchmark:
    """Return a benchmark whose trial `run1-0` has started and has a note of three lines."""
    benchmark = EffectCounterBenchmark(1)
    benchmark.start_trial("run1-0")
    tree = FileTree({**FILES, "/note.txt": "a note\n\nthe word is heron\n"})
    benchmark.worlds["run1-0"].tree = tree
    return benchmark


def run_until_no_replies_are_left(run: Callable[[], object]) -> None:
    """Run a trial whose model fails when it has given its replies."""
    with pytest.raises(ModelError, match="no more replies"):
        run()


@pytest.mark.parametrize("step_count", range(1, len(REPLIES) + 1))
def test_a_script_trial_knows_the_same_after_steps_that_are_applied_from_the_journal(
    step_count: int, server: ForkServer, loops: list[TurnLoop]
) -> None:
    """Run a trial for some steps, and resume it from its journal with a model without replies. The
    resumed trial runs no script again, and must know all that the interrupted one knew."""
    replies = REPLIES[:step_count]
    events: list[TrialEvent] = []
    run_until_no_replies_are_left(
        lambda: solve_trial(
            benchmark_with_note(), "run1-0", replies, server, events=events
        )
    )
    interrupted = loops[-1]
    assert count_of_steps(events) == step_count

    record = trial_records_of(events)["run1-0"]
    run_until_no_replies_are_left(
        lambda: solve_trial(benchmark_with_note(), "run1-0", [], server, record=record)
    )
    resumed = loops[-1]

    assert resumed is not interrupted
    assert state_of(resumed) == state_of(interrupted)


# A trial whose model calls tools, without scripts
# --------------------------------------------------------------------------------------------------------------

READ_EMMA = tool_call("read", path="/books/emma.txt", start_line=0, end_line=0)
LEND_BOOK = tool_call("exec", path="/bin/lend")
COMPLETE_WITH_MISSING_FILE = completion_call(
    records=[{"path": "/books/none.txt", "reason": "it says by nobody"}]
)
TURNS = [
    [READ_EMMA, FIND_BOOKS_BY_AUSTEN],
    "I think I know.",
    [LEND_BOOK],
    [COMPLETE_WITH_MISSING_FILE, READ_EMMA],
    [FIND_BOOKS_BY_AUSTEN],
]
"""The model's replies: calls of tools, or a text."""
PARTS_SWITCHED_OFF = "classifier formatter references evidence-store"
"""Parts of the solver that would ask other models."""


@pytest.mark.parametrize("turn_count", range(1, len(TURNS) + 1))
def test_a_tool_trial_knows_the_same_after_its_steps_are_repeated_from_the_journal(
    turn_count: int, loops: list[TurnLoop]
) -> None:
    """Run a trial for some turns, and resume it from its journal. Both runs end with an
    `IndexError`, when the model has no reply for the next turn."""
    turns = TURNS[:turn_count]
    events: list[TrialEvent] = []
    with pytest.raises(IndexError):
        run_attempt(ModelByTurn(turns), parts_off=PARTS_SWITCHED_OFF, events=events)
    interrupted = loops[-1]
    assert count_of_steps(events) >= turn_count

    new_events: list[TrialEvent] = []
    with pytest.raises(IndexError):
        run_attempt(
            ModelByTurn(turns),
            parts_off=PARTS_SWITCHED_OFF,
            recorded=events,
            events=new_events,
        )
    resumed = loops[-1]

    assert count_of_steps(new_events) == 0
    assert state_of(resumed) == state_of(interrupted)


# What the journal has besides the steps
# --------------------------------------------------------------------------------------------------------------


def test_the_memory_of_each_script_is_journalled_once(server: ForkServer) -> None:
    """A trial of three steps is cut off after the second one and resumed."""
    three_steps = BudgetLimits(max_steps=3, extra_steps=0)
    scripts = [step_reply(f"print({number})") for number in (1, 2, 3)]
    whole = solve_trial(
        EffectCounterBenchmark(1), "run1-0", scripts, server, budget=three_steps
    )
    measured = [event for event in whole.events if isinstance(event, ScriptMeasured)]
    assert [event.step for event in measured] == [1, 2, 3]
    for event in measured:
        assert event.peak_memory_bytes > 1_000_000

    end_of_recording = whole.events.index(measured[1]) + 1
    record = trial_records_of(whole.events[:end_of_recording])["run1-0"]
    assert peak_memory_by_step(record.all_steps) == {
        1: measured[0].peak_memory_bytes,
        2: measured[1].peak_memory_bytes,
    }
    resumed = solve_trial(
        EffectCounterBenchmark(1),
        "run1-0",
        scripts[2:],
        server,
        budget=three_steps,
        record=record,
    )

    measured_steps: list[int] = []
    for event in resumed.events:
        if isinstance(event, ScriptMeasured):
            measured_steps.append(event.step)
    assert measured_steps == [3]


def test_a_changing_initial_call_is_read_back_from_the_journal_file(
    server: ForkServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Initial calls are made before the model is asked. Usually they only read; here the third
    one runs a program that changes something."""
    initial_calls = (
        InitialCall("read", {"path": "/AGENTS.MD"}),
        InitialCall("read", {"path": "/note.txt"}),
        InitialCall("exec", {"path": "/bin/checkout"}),
    )
    tool_schema = replace(TOOL_SCHEMA, initial_calls=initial_calls)
    monkeypatch.setattr(CountingEnvironment, "tool_schema", tool_schema)
    benchmark = EffectCounterBenchmark(1)
    benchmark.start_trial("run1-0")
    events: list[TrialEvent] = []
    run_until_no_replies_are_left(
        lambda: solve_trial(
            benchmark, "run1-0", [READS_AND_CITES], server, events=events
        )
    )
    start_of_run = TWO_TRIALS_EVENTS[0]
    journal_path = write_journal(tmp_path / "r.jsonl", [start_of_run, *events])

    openings: list[ConversationOpened] = []
    for event in read_events(journal_path):
        if isinstance(event, ConversationOpened):
            openings.append(event)

    calls = [(call.operation, call.state) for call in openings[0].calls]
    assert calls == [("read", "made"), ("read", "made"), ("exec", "made")]
