"""Writes the replies of models to the journal, with what they cost.

A reply may come with remarks of the model's client, which are written before it:

    notice            "gpt-x does not take tools; asking for JSON from here on"
    endpoint_learned  tools: false
    model_replied     step 3  cost_usd 0.02

What a reply costs is counted for the trial by `budget.count`, and for the whole run by `emit`,
which adds each event to the run's totals.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from controlplane.agent.events import EndpointLearned, ModelReplied, Noticed
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.loop.session.reply_events import reply_event
from controlplane.agent.loop.session.trial_budget import TrialBudget
from controlplane.agent.model import Reply


@dataclass(frozen=True, slots=True)
class ReplyLog:
    """Writes the replies to one trial."""

    recorder: Recorder
    """Writes the journal (`emit`), and has the current step."""
    budget: TrialBudget
    """Counts what the trial pays for replies."""

    def write(self, reply: Reply, role: str, sent_at: float) -> ModelReplied:
        """Write a reply and its remarks, count its cost, and return its event.

        The request was sent at `sent_at`, a moment of `time.perf_counter`.
        """
        trial_id = self.recorder.trial_id
        for notice in reply.notices:
            self.notice(notice)
        if reply.learned is not None:
            learned = EndpointLearned(trial_id=trial_id, capabilities=reply.learned)
            self.recorder.emit(learned)

        replied = reply_event(
            reply,
            role,
            self.recorder.current_step,
            trial_id=trial_id,
            elapsed_s=time.perf_counter() - sent_at,
        )
        self.budget.count(replied)
        self.recorder.emit(replied)
        return replied

    def notice(self, text: str, *, retry: bool = False) -> None:
        """Write a notice for the user. `retry` is true if a request is sent again.

        A resumed trial does not repeat the notices of its earlier attempt.
        """
        event = Noticed(trial_id=self.recorder.trial_id, text=text, retry=retry)
        self.recorder.notices.write(event)
