"""The journal of a trial has the calls that are made before its model is asked.

The environment declares such *initial calls*. The event `ConversationOpened` has all of them, each with
its state: `made`, or `under_way` if the process was killed during the call.
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
    """A call that changes something is first announced in the journal as `under_way`. Its result
    must replace this state."""
    initial_calls = (
        InitialCall("read", {"path": "/AGENTS.MD"}),
        InitialCall("read", {"path": "/note.txt"}),
        InitialCall("exec", {"path": "/bin/checkout"}),  # changes something
    )
    tool_schema = replace(TOOL_SCHEMA, initial_calls=initial_calls)
    monkeypatch.setattr(CountingEnvironment, "tool_schema", tool_schema)
    only_reply = step_reply("print('any script')")

    benchmark = EffectCounterBenchmark(trials=1)
    one_step = BudgetLimits(max_steps=1, extra_steps=0)
    solved = solve_trial(benchmark, "run1-0", [only_reply], server, budget=one_step)
    journal = write_journal(tmp_path / "r.jsonl", [RUN_OPENED, *solved.events])

    (opening,) = [
        event for event in read_events(journal) if isinstance(event, ConversationOpened)
    ]
    calls = [(call.operation, call.state) for call in opening.calls]
    assert calls == [("read", "made"), ("read", "made"), ("exec", "made")]
