"""What the journal of a trial has besides its steps.

Beside each step, it has an event with the memory that its script took. Before the first step, it
has the *initial calls*: those that the environment makes before the model is asked, such as a read
of the rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from controlplane.agent.events import ConversationOpened, ScriptMeasured
from controlplane.agent.loop import BudgetLimits
from controlplane.agent.record.events_by_step import peak_memory_by_step
from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface import InitialCall
from tests.support.counting_environment import TOOL_SCHEMA, CountingEnvironment
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.journals.read_events import read_events, trial_records_of
from tests.support.journals.sample_events import RUN_OPENED, write_journal
from tests.support.single_trial import solve_trial, step_reply


def measured_scripts(events: Iterable[object]) -> list[ScriptMeasured]:
    """Return the events with the memory of a script."""
    return [event for event in events if isinstance(event, ScriptMeasured)]


def test_the_memory_of_each_script_is_journalled_once(server: ForkServer) -> None:
    """A trial of three steps is cut off after the second script was measured, and resumed. Only
    the third script is run and measured then."""
    benchmark = EffectCounterBenchmark(1)
    scripts = [step_reply(f"print({number})") for number in (1, 2, 3)]

    three_steps = BudgetLimits(max_steps=3, extra_steps=0)
    whole = solve_trial(benchmark, "run1-0", scripts, server, budget=three_steps)
    first, second, third = measured_scripts(whole.events)
    assert [first.step, second.step, third.step] == [1, 2, 3]
    for measured in (first, second, third):
        assert measured.peak_memory_bytes > 1_000_000

    recorded_events = whole.events[: whole.events.index(second) + 1]
    record = trial_records_of(recorded_events)["run1-0"]
    assert peak_memory_by_step(record.all_steps) == {
        1: first.peak_memory_bytes,
        2: second.peak_memory_bytes,
    }

    resumed = solve_trial(
        EffectCounterBenchmark(1),
        "run1-0",
        scripts[2:],
        server,
        budget=three_steps,
        record=record,
    )
    (measured_again,) = measured_scripts(resumed.events)
    assert measured_again.step == 3


def test_a_changing_initial_call_is_read_back_from_the_journal_file(
    server: ForkServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Initial calls usually only read. Here the third one runs a program that changes something,
    and such a call has two events: one before it is made, and one with its result."""
    initial_calls = (
        InitialCall("read", {"path": "/AGENTS.MD"}),
        InitialCall("read", {"path": "/note.txt"}),
        InitialCall("exec", {"path": "/bin/checkout"}),
    )
    tool_schema = replace(TOOL_SCHEMA, initial_calls=initial_calls)
    monkeypatch.setattr(CountingEnvironment, "tool_schema", tool_schema)
    script = step_reply("print(harness.read('/note.txt').content)")

    benchmark = EffectCounterBenchmark(1)
    one_step = BudgetLimits(max_steps=1, extra_steps=0)
    solved = solve_trial(benchmark, "run1-0", [script], server, budget=one_step)
    journal = write_journal(tmp_path / "r.jsonl", [RUN_OPENED, *solved.events])

    (opening,) = [
        event for event in read_events(journal) if isinstance(event, ConversationOpened)
    ]
    calls = [(call.operation, call.state) for call in opening.calls]
    assert calls == [("read", "made"), ("read", "made"), ("exec", "made")]
