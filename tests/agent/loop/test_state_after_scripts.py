"""A trial that is resumed from its journal knows what the interrupted one knew.

The resumed trial does not run the recorded scripts again. It applies what they did from the journal,
and has to know the same texts, used limits and conversation. Otherwise it would go on differently
than without the interruption.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from controlplane.agent.events import StepDone, TrialEvent
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.script.script_turns import ScriptTurns
from controlplane.agent.loop.script.trial_sandbox import sandbox_of
from controlplane.agent.model import ModelError, Reply, Usage
from controlplane.agent.retry.run_budget import RunBudget
from controlplane.sandbox import ForkServer
from tests.agent.loop.trial_state import state_of
from tests.support.books.attempt_sessions import session_over
from tests.support.counting_environment import CountingEnvironment
from tests.support.single_trial import ModelWithReplies, step_reply

READ_AND_CITE = step_reply("""
harness.read("/note.txt")
scratchpad.cite("/note.txt", "it says so there", quote="the word is heron")
print("read")
""")
CHECK_OUT = step_reply("print(harness.exec('/bin/checkout').stdout)")
PAID_CHECK_OUT = Reply(text=CHECK_OUT, cost_usd=0.25, usage=Usage(prompt_tokens=900))
ANSWER_FROM_AN_UNREAD_FILE = step_reply("""
scratchpad["answer"] = "crane"
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["refs_why"] = {"/never/read.txt": "it says crane"}
try:
    harness.answer(scratchpad, lambda sp: sp["answer"] == "crane")
except GateRejection as error:
    print(error)
""")
READ_A_MISSING_FILE = step_reply("harness.read('/no/such/file.txt')")


@dataclass
class InterruptedTrial:
    """A trial that ended in the middle, since its model had no more replies."""

    turns: ScriptTurns
    """What plays the trial. It has the conversation, and all that the trial knows."""
    events: list[TrialEvent]
    """What this attempt has written into the journal."""
    checkouts: int
    """How often this attempt has run /bin/checkout."""

    @property
    def steps(self) -> list[TrialEvent]:
        return [event for event in self.events if isinstance(event, StepDone)]


def play(
    replies: Sequence[str | Reply],
    server: ForkServer,
    journal: Sequence[TrialEvent] = (),
) -> InterruptedTrial:
    """Play a trial, resumed from a journal, until its model has no more of these replies."""
    environment = CountingEnvironment()
    events: list[TrialEvent] = []
    instruction = "Check out, and answer with the word of the note."
    session = session_over(
        environment, instruction, recorded=journal, new_events=events
    )
    settings = LoopSettings()
    with sandbox_of(session, server, settings.limits, settings.isolation) as sandbox:
        turns = ScriptTurns(
            ModelWithReplies(replies), session, settings, RunBudget(), sandbox
        )
        with pytest.raises(ModelError, match="no more replies"):
            turns.run()
    return InterruptedTrial(turns, events, environment.effects["checkout"])


def test_a_resumed_trial_has_the_recorded_output_without_running_a_script_again(
    server: ForkServer,
) -> None:
    interrupted = play([CHECK_OUT], server)
    resumed = play([], server, journal=interrupted.events)

    assert (interrupted.checkouts, resumed.checkouts) == (1, 0)
    assert resumed.turns.conversation[-1] == {
        "role": "user",
        "content": '<output step="1">\n1\n</output>\n',
    }


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param([READ_AND_CITE], id="a read text and a citation"),
        pytest.param(["no JSON"], id="an unusable reply"),
        pytest.param([PAID_CHECK_OUT], id="a change, dollars and tokens"),
        pytest.param([step_reply("import socket")], id="a refused script"),
        pytest.param([CHECK_OUT, CHECK_OUT], id="a repeated script"),
        pytest.param([ANSWER_FROM_AN_UNREAD_FILE], id="a rejected answer"),
        pytest.param([READ_A_MISSING_FILE], id="a failure"),
        pytest.param(
            [READ_A_MISSING_FILE, READ_A_MISSING_FILE], id="a repeated failure"
        ),
        pytest.param(
            [
                READ_AND_CITE,
                "no JSON",
                PAID_CHECK_OUT,
                step_reply("import socket"),
                CHECK_OUT,
                ANSWER_FROM_AN_UNREAD_FILE,
                READ_A_MISSING_FILE,
                READ_A_MISSING_FILE,
            ],
            id="all of these",
        ),
    ],
)
def test_a_resumed_trial_knows_the_same_without_a_new_step(
    replies: list[str | Reply], server: ForkServer
) -> None:
    interrupted = play(replies, server)
    resumed = play([], server, journal=interrupted.events)

    assert resumed.steps == []
    assert resumed.checkouts == 0
    assert state_of(resumed.turns) == state_of(interrupted.turns)
