"""A trial that is resumed from its journal knows what the interrupted one knew.

The resumed trial does not run the recorded scripts again. It applies what they did from the journal,
and has to know the same texts, used limits and conversation. Otherwise it would go on differently
than without the interruption.
"""

from __future__ import annotations

from collections.abc import Sequence

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


def interrupted_turns(
    replies: Sequence[str | Reply],
    server: ForkServer,
    events: list[TrialEvent],
    recorded: Sequence[TrialEvent] = (),
) -> ScriptTurns:
    """Play a trial until its model has no more replies, and return its turns.

    Its events are added to `events`. With the events `recorded` by an earlier trial, it is resumed.
    """
    session = session_over(
        CountingEnvironment(),
        "Check out, and answer with the word of the note.",
        recorded=recorded,
        new_events=events,
    )
    settings = LoopSettings()
    with sandbox_of(session, server, settings.limits, settings.isolation) as sandbox:
        turns = ScriptTurns(
            ModelWithReplies(replies), session, settings, RunBudget(), sandbox
        )
        with pytest.raises(ModelError, match="no more replies"):
            turns.run()
    return turns


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
def test_a_resumed_trial_knows_the_same_without_running_a_script_again(
    replies: list[str | Reply], server: ForkServer
) -> None:
    recorded: list[TrialEvent] = []
    interrupted = interrupted_turns(replies, server, recorded)

    new_events: list[TrialEvent] = []
    resumed = interrupted_turns([], server, new_events, recorded=recorded)

    assert [event for event in new_events if isinstance(event, StepDone)] == []
    assert state_of(resumed) == state_of(interrupted)
