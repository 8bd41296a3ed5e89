"""A resumed trial knows what the interrupted one knew.

Between two steps, a trial knows its evidence, its limits, its conversation and more. A resumed
trial does not run the recorded steps again but applies them from the journal, and must then know
exactly the same. Otherwise it would go on differently than without the interruption.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import pytest

from controlplane.agent.events import StepDone, TrialEvent
from controlplane.agent.exoskeleton import Part
from controlplane.agent.loop.turn_loop import TurnLoop
from controlplane.agent.model import ModelError, Reply, Usage
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.gates.evidence import Evidence
from controlplane.sandbox import ForkServer
from controlplane.sandbox.files.file_tree import FileTree
from tests.support.books.library_calls import (
    FIND_BOOKS_BY_AUSTEN,
    completion_call,
    tool_call,
)
from tests.support.books.model_by_turn import ModelByTurn
from tests.support.books.solver_attempts import run_attempt
from tests.support.counting_environment import FILES
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.journals.read_events import trial_records_of
from tests.support.single_trial import solve_trial, step_reply


def state_of(loop: TurnLoop) -> dict[str, Any]:
    """Return everything that a trial knows between two steps, by a name for each part.

        {"accepted answer": "", "steps": StepLimit(spent=3), "evidence.calls": (...), ...}

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
        "known texts": vars(provenance.texts),
        "untrusted values": provenance.untrusted,
        "stopped calls": vars(recorder.checks.stop_events.stopped_calls),
        # submissions
        "submissions": gated_exit.history,
        "accepted answer": outlet.accepted.message if outlet.accepted else "",
        "is closed": outlet.is_closed,
        "is answered": outlet.is_answered,
        # limits
        "limits": session.steps.limits,
        "spending": session.log.budget.cost_limit,
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
    """Return a list to which each trial of the test adds its loop, which has all that it knows."""
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


READS_AND_CITES = step_reply(
    "harness.read('/note.txt')\n"
    "scratchpad.cite('/note.txt', 'it says so there', quote='the word is heron')\n"
    "print('read')"
)
CHECKS_OUT = step_reply("print(harness.exec('/bin/checkout').stdout)")
CITES_AN_UNREAD_FILE = step_reply(
    "scratchpad['answer'], scratchpad['outcome'] = 'crane', 'OUTCOME_OK'\n"
    "scratchpad['refs_why'] = {'/never/read.txt': 'it says crane'}\n"
    "try:\n"
    "    harness.answer(scratchpad, lambda sp: sp['answer'] == 'crane')\n"
    "except GateRejection as error:\n"
    "    print(error)"
)
FAILS = step_reply("harness.read('/no/such/file.txt')")
REPLIES = [
    READS_AND_CITES,  # a text that was read, and a citation
    "no JSON",  # an unusable reply
    Reply(  # a change, dollars, and tokens of the context
        text=CHECKS_OUT,
        cost_usd=0.25,
        usage=Usage(prompt_tokens=900, completion_tokens=20),
    ),
    step_reply("import socket"),  # a script that is refused
    CHECKS_OUT,  # a repeated script
    CITES_AN_UNREAD_FILE,  # a rejected submission
    FAILS,
    FAILS,  # a repeated failure
]
"""The replies of a model. Each adds something else to what the trial knows."""


def play_scripts(
    replies: Sequence[str | Reply],
    server: ForkServer,
    record: TrialRecord | None = None,
) -> list[TrialEvent]:
    """Play a trial until its model has no more replies, and return its events.

    With the record of an interrupted trial, resume that trial.
    """
    benchmark = EffectCounterBenchmark(1)
    benchmark.start_trial("run1-0")
    note = "a note\n\nthe word is heron\n"
    benchmark.worlds["run1-0"].tree = FileTree({**FILES, "/note.txt": note})
    events: list[TrialEvent] = []
    with pytest.raises(ModelError, match="no more replies"):
        solve_trial(benchmark, "run1-0", replies, server, record=record, events=events)
    return events


class TestTrialsWithScripts:
    """A trial whose model writes scripts is resumed without running one of them again.

    Each reply of `REPLIES` adds something else to what the trial knows. For each number of replies:
    1. a trial gets so many replies, and is then interrupted, because its model has no more
    2. it is resumed from its journal, with a model that has no reply at all
    3. all that the two trials know (`state_of`) must be the same
    """

    @pytest.mark.parametrize("step_count", range(1, len(REPLIES) + 1))
    def test_a_script_trial_knows_the_same_after_steps_that_are_applied_from_the_journal(
        self, step_count: int, server: ForkServer, loops: list[TurnLoop]
    ) -> None:
        """Play a trial for some steps, and resume it from its journal with a model without replies.
        The resumed trial runs no script again, and must know all that the interrupted one knew."""
        events = play_scripts(REPLIES[:step_count], server)
        assert count_of_steps(events) == step_count
        record = trial_records_of(events)["run1-0"]

        play_scripts([], server, record)

        interrupted, resumed = loops
        assert state_of(resumed) == state_of(interrupted)


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


def play_turns(
    turns: Sequence[Any], recorded_events: Sequence[TrialEvent] = ()
) -> list[TrialEvent]:
    """Play a trial until its model has no reply for the next turn, and return its new events.

    With recorded events, resume the trial that they record. Parts of the solver that ask other
    models are switched off.
    """
    events: list[TrialEvent] = []
    with pytest.raises(IndexError):
        run_attempt(
            ModelByTurn(turns),
            parts=[Part.PREFLIGHT],
            recorded=recorded_events,
            events=events,
        )
    return events


class TestTrialsWithTools:
    """A trial whose model calls tools, without scripts, is resumed without taking a step again.

    A turn is one reply: a list of calls, or a text. The trial is interrupted after each turn of
    `TURNS`, and resumed from its journal. All that the two trials know (`state_of`) must be the
    same.
    """

    @pytest.mark.parametrize("turn_count", range(1, len(TURNS) + 1))
    def test_a_tool_trial_knows_the_same_after_its_steps_are_repeated_from_the_journal(
        self, turn_count: int, loops: list[TurnLoop]
    ) -> None:
        """Play a trial for some turns, and resume it from its journal. It takes no step again."""
        turns = TURNS[:turn_count]
        events = play_turns(turns)
        assert count_of_steps(events) >= turn_count

        new_events = play_turns(turns, recorded_events=events)

        assert count_of_steps(new_events) == 0
        interrupted, resumed = loops
        assert state_of(resumed) == state_of(interrupted)
