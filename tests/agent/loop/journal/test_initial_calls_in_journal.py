"""The journal of a trial has the calls that are made before its model is asked.

Such *initial calls*, which the environment declares, usually only read. One that changes something has
two events: one before it is made, and one with its result.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from controlplane.agent.events import ConversationOpened
from controlplane.agent.loop import BudgetLimits
from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface import InitialCall
from tests.support.counting_environment import TOOL_SCHEMA, CountingEnvironment
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.journals.read_events import read_events
from tests.support.journals.sample_events import RUN_OPENED, write_journal
from tests.support.single_trial import solve_trial, step_reply


def test_a_changing_initial_call_is_read_back_from_the_journal_file(
    server: ForkServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The third one runs a program that changes something."""
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
