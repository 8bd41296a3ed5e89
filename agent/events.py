"""What happens in a trial, as events. The loop emits them through a callable; whoever listens writes them down."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SkipValidation

from agent.model import Message, Usage
from gates import Judgement

Text: TypeAlias = Annotated[str, SkipValidation]
"""Text from a model, a script or an environment: kept as it came, lone surrogates included."""
Data: TypeAlias = Annotated[dict[str, JsonValue], SkipValidation]
"""Plain data from there, of JSON's own types, which the sandbox has checked."""


def now_ms() -> int:
    """Return the wall clock in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class Event(BaseModel):
    """One thing that happened. `at_ms` is the wall clock in milliseconds since the epoch."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at_ms: int = Field(default_factory=now_ms)


class TrialEvent(Event):
    """Something that happened in one trial."""

    trial_id: str


class CallFailure(BaseModel):
    """A call that the environment refused or could not make."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: Text
    message: Text


class CallRecord(BaseModel):
    """One environment call and what came of it: `result`, or `error`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    operation: str
    arguments: Data
    in_verify: bool = False
    result: Data | None = None
    error: CallFailure | None = None
    shown_chars: int | None = None
    """Of an opening call: how many characters of its text turn one shows; None for a script's call."""
    elapsed_ms: float = 0.0


class VerdictRecord(BaseModel):
    """One gate's verdict as it was given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    gate: int
    name: str
    result: str
    reason: Text
    enforced: bool


class Judged(BaseModel):
    """One submission and what the gates said about it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    accepted: bool
    answer: Text
    outcome: str
    refs: tuple[Text, ...]
    message: Text
    """The fix-it message as the model got it; empty where the submission was accepted."""
    verdicts: tuple[VerdictRecord, ...]

    @classmethod
    def of(cls, judgement: Judgement) -> Judged:
        """Return `judgement` in the form that is written down."""
        return cls(
            accepted=judgement.accepted,
            answer=judgement.answer,
            outcome=judgement.outcome,
            refs=judgement.refs,
            message="" if judgement.accepted else judgement.message,
            verdicts=tuple(
                VerdictRecord(
                    gate=each.gate, name=each.name, result=str(each.result), reason=each.reason, enforced=each.enforced
                )
                for each in judgement.verdicts
            ),
        )


class CallSent(TrialEvent):
    """A call is about to be made. Without a `call_done` after it, whether it happened is not known."""

    type: Literal["call_sent"] = "call_sent"
    step: int
    number: int
    operation: str
    arguments: Data
    in_verify: bool = False


class CallDone(TrialEvent):
    """A call came back."""

    type: Literal["call_done"] = "call_done"
    step: int
    number: int
    result: Data | None = None
    error: CallFailure | None = None
    elapsed_ms: float = 0.0


class ConversationOpened(TrialEvent):
    """Turn one is ready: the system prompt and the first message, as pieces whose concatenation is what was sent."""

    type: Literal["conversation_opened"] = "conversation_opened"
    system: Text
    turn_one: tuple[Text, ...]
    calls: tuple[CallRecord, ...] = ()
    rules: Text = ""
    """The workspace's rules as the gates see them."""


class ModelAsked(TrialEvent):
    """A request to the model is about to be sent."""

    type: Literal["model_asked"] = "model_asked"
    step: int
    messages: int


class ModelReplied(TrialEvent):
    """The model's reply is here; its script, if it holds one, has not run yet."""

    type: Literal["model_replied"] = "model_replied"
    step: int
    reply: Text
    """The raw text, or the raw arguments of the tool call."""
    tool_call: bool = False
    finish_reason: str = "stop"
    reasoning: Text = ""
    usage: Usage = Usage()
    cost_usd: float | None = None
    elapsed_ms: float = 0.0


class SubmissionJudged(TrialEvent):
    """The gates gave their verdicts on a submission."""

    type: Literal["submission_judged"] = "submission_judged"
    step: int
    judged: Judged


class AnswerSent(TrialEvent):
    """An answer is about to be handed to the environment."""

    type: Literal["answer_sent"] = "answer_sent"
    step: int
    message: Text
    outcome: str
    refs: tuple[Text, ...]
    fallback: bool = False
    """It is the last word of a trial that found no answer, and went past the gates."""


class AnswerDone(TrialEvent):
    """The environment took the answer, or `error` says why it did not."""

    type: Literal["answer_done"] = "answer_done"
    step: int
    error: CallFailure | None = None


class StepDone(TrialEvent):
    """One whole step."""

    type: Literal["step"] = "step"
    step: int
    reply: Text
    state: Text = ""
    plan: tuple[Text, ...] = ()
    done: bool = False
    code: Text = ""
    """Empty where the reply held no action; `error` then says why."""
    output: Text = ""
    error: Text = ""
    ending: str = ""
    """How the script ended; empty where none ran."""
    calls: tuple[CallRecord, ...] = ()
    scratchpad: Data = Field(default_factory=dict)
    verdicts: tuple[Judged, ...] = ()
    feedback: tuple[Text, ...] = ()
    """The message that the model gets next, as pieces; empty after an accepted answer."""
    usage: Usage = Usage()
    cost_usd: float | None = None
    elapsed_ms: float = 0.0
    """Wall-clock milliseconds of the script."""
    refunded: bool = False


class Noticed(TrialEvent):
    """Something worth knowing about a trial that is no step: a retry, a pause, a sandbox that had to be made again."""

    type: Literal["notice"] = "notice"
    text: Text
    retry: bool = False
    """A request failed in passing and is made again."""


AgentEvent: TypeAlias = (
    CallSent
    | CallDone
    | ConversationOpened
    | ModelAsked
    | ModelReplied
    | SubmissionJudged
    | AnswerSent
    | AnswerDone
    | StepDone
    | Noticed
)

Emit: TypeAlias = Callable[[AgentEvent], None]
Conversation: TypeAlias = list[Message]
