"""A trial whose model writes scripts, and that ends in the middle, since its model has no more replies.

    interrupted = play([step_reply("print(7)")], server)
    resumed = play([], server, journal=interrupted.events)

The second attempt does not run the recorded script again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from controlplane.agent.events import StepDone, TrialEvent
from controlplane.agent.loop.cited_loop import ScriptTurns
from controlplane.agent.loop.script import sandbox_of
from controlplane.agent.loop.step_limit import LoopSettings
from controlplane.agent.model import ModelError, Reply
from controlplane.agent.retry import RunBudget
from controlplane.sandbox import ForkServer
from tests.support.books.attempt_sessions import session_over
from tests.support.counting_environment import CountingEnvironment
from tests.support.single_trial import ModelWithReplies


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
