"""Runs one trial in this process, with a model that
is a list of scripts, and gives back what happened."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from controlplane import Benchmark
from controlplane.agent.events import ConversationOpened, StepDone, TrialEvent
from controlplane.agent.evidence import Environment, Recorder, Tape
from controlplane.agent.limits.call_limit import DEFAULT_MAX_CALLS
from controlplane.agent.loop import (
    BudgetLimits,
    CitedLoop,
    LoopSettings,
    TrialContext,
    TrialSession,
    new_session,
)
from controlplane.agent.loop.initial_prompt.initial_prompt import build_initial_prompt
from controlplane.agent.model import Message, Model, ModelError, ModelRequest, Reply
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.sandbox import ForkServer, Limits
from tests.support.functions_here import with_functions_in_process

FIXED_NOW = datetime(2031, 5, 4, 9, 30, tzinfo=UTC)


@dataclass
class ModelWithReplies(Model):
    """Replies in order; a string that is no JSON is sent as it stands. Keeps every request."""

    replies: Sequence[str | Reply | ModelError]
    name: str = "list"
    requests: list[list[Message]] = field(default_factory=list)
    temperatures: list[float | None] = field(default_factory=list)
    """The lowest temperature that each request asked for."""

    def reply_to(self, request: ModelRequest) -> Reply:
        self.temperatures.append(request.min_temperature)
        self.requests.append(
            [
                Message(role=message["role"], content=message["content"])
                for message in request.messages
            ]
        )
        if len(self.requests) > len(self.replies):
            raise ModelError("no more replies", retryable=False)
        reply = self.replies[len(self.requests) - 1]
        if isinstance(reply, ModelError):
            raise reply
        return Reply(text=reply) if isinstance(reply, str) else reply


def first_message_of(instruction: str, environment: Environment) -> ConversationOpened:
    """Return what the initial prompt of a trial would show, without a record of its calls."""
    recorder = Recorder("preview", environment, lambda event: None)
    recorder.step.begin(0)
    return build_initial_prompt(instruction, recorder, now=environment.now())


def step_reply(code: str, state: str = "working") -> str:
    return json.dumps({"state": state, "plan": [], "done": False, "code": code})


@dataclass
class SolvedTrial:
    reason: str
    events: list[TrialEvent]
    model: ModelWithReplies
    session: TrialSession

    @property
    def steps(self) -> list[StepDone]:
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
) -> SolvedTrial:
    """Start a trial of `benchmark` and run the loop on it."""
    trial = benchmark.start_trial(trial_id)
    events: list[TrialEvent] = []
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
    recorder = Recorder(trial_id, trial.environment, events.append, tape=tape)
    session = new_session(context, with_functions_in_process(recorder))
    reason = CitedLoop(model, server, settings).solve(session)
    return SolvedTrial(reason, events, model, session)
