"""Runs one trial in the test's process, with a model whose replies are a list.

    replies = [step_reply("print(harness.lookup('ada').number)"), step_reply(ANSWERING_SCRIPT)]
    trial = solve_trial(Phonebook(delay_s=0.0), "ada-0", replies, fork_server)
    assert trial.reason == ""  # The trial has an answer.
    assert trial.steps[0].output == "17\\n"

The trial `ada-0` asks for Ada's phone number. Each reply has a script, which the agent runs in a
sandbox; the script's output goes back to the model.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from controlplane import Benchmark
from controlplane.agent.events import StepDone, TrialEvent
from controlplane.agent.evidence import Tape, new_recorder
from controlplane.agent.limits.call_limit import DEFAULT_MAX_CALLS
from controlplane.agent.loop import (
    BudgetLimits,
    CitedLoop,
    LoopSettings,
    TrialContext,
    TrialSession,
)
from controlplane.agent.model import ModelError, Reply
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.sandbox import ForkServer, Limits
from tests.support.functions_here import with_functions_in_process
from tests.support.model_with_replies import ModelWithReplies

FIXED_NOW = datetime(2031, 5, 4, 9, 30, tzinfo=UTC)
"""The time of trials whose environment has no clock."""


def step_reply(code: str, state: str = "working") -> str:
    """Return the text of a reply that asks the agent to run the script `code`.

    `state` is the model's note on how far it is. An empty `plan` and `done` of False say that it
    has no plan, and expects a further step.
    """
    return json.dumps({"state": state, "plan": [], "done": False, "code": code})


@dataclass
class SolvedTrial:
    """How a trial ended, and what happened in it."""

    reason: str
    """Why the trial has no answer; empty if it has one."""
    events: list[TrialEvent]
    model: ModelWithReplies
    session: TrialSession

    @property
    def steps(self) -> list[StepDone]:
        """Return the steps: each is a reply of the model, and what its script did."""
        return [event for event in self.events if isinstance(event, StepDone)]


def solve_trial(
    benchmark: Benchmark,
    trial_id: str,
    replies: Sequence[str | Reply | ModelError],
    server: ForkServer,
    *,
    budget: BudgetLimits | None = None,
    limits: Limits | None = None,
    record: TrialRecord | None = None,
    max_calls: int = DEFAULT_MAX_CALLS,
    events: list[TrialEvent] | None = None,
) -> SolvedTrial:
    """Start a trial of `benchmark`, and solve it with a model that gives these replies.

    `server` forks the sandboxes, and `limits` are those of a script. `record` has the calls of an
    earlier, stopped attempt at the trial: they are not made again, and have the recorded results.
    The events of the trial are added to `events`, also if the trial raises an error.
    """
    trial = benchmark.start_trial(trial_id)
    if events is None:
        events = []
    model = ModelWithReplies(replies)
    settings = LoopSettings(
        budget=budget or BudgetLimits(), limits=limits or Limits(), patience_s=2.0
    )
    context = TrialContext(
        trial_id,
        trial.task_id,
        trial.instruction,
        trial.environment.now() or FIXED_NOW,
        max_calls=max_calls,
    )
    tape = Tape(record or TrialRecord())
    recorder = new_recorder(trial_id, trial.environment, events.append, tape=tape)
    session = TrialSession(context, with_functions_in_process(recorder))

    reason = CitedLoop(model, server, settings).solve(session)

    return SolvedTrial(reason, events, model, session)
