"""What happens in a trial, as events. The loop emits them through a callable; whoever listens writes them down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from agent.events.call_records import (
    BY_NUMBER,
    JOINED,
    CallFailure,
    CallRecord,
    Citation,
    Data,
    ExitCall,
    Judged,
    SaidMessage,
    Text,
)
from agent.events.event import TrialEvent
from agent.events.model_events import EndpointLearned, ModelAsked, ModelReplied
from agent.model.model_protocol import Message, Usage


class CallSent(TrialEvent):
    """A call is about to be made. Without a `call_done` after it, whether it happened is not known."""

    type: Literal["call_sent"] = "call_sent"
    step: int
    """The step that makes it; 0 for an opening call."""
    number: int
    """Counts the step's calls, from 0."""
    operation: str
    """The name of the operation."""
    arguments: Data
    """Every argument by name."""
    in_verify: bool = False
    """It is made by the script's `verify`."""
    outer: int | None = None
    """The number of the call whose finding asks for it; null for a call of the solver's own."""


class CallDone(TrialEvent):
    """A call came back, or was given up: an earlier attempt was cut off in it, and it may have changed something."""

    type: Literal["call_done"] = "call_done"
    step: int
    """The step that made it."""
    number: int
    """The number of its `call_sent`."""
    result: Data | None = None
    """Its fields; null if the call failed."""
    error: CallFailure | None = None
    """Why it failed; null if it did not."""
    shown_chars: int | None = None
    """Of an opening call: how many characters of its text turn one shows; null for a script's call."""
    elapsed_ms: float = 0.0
    """Wall-clock milliseconds."""


class ExitCallSent(TrialEvent):
    """The exit is about to read something for a rule that judges a submission. It is no evidence for the solver."""

    type: Literal["exit_call_sent"] = "exit_call_sent"
    step: int
    """The step that submitted."""
    submission: int
    """The number of the submission in its step."""
    number: int
    """Counts the exit's calls of the step, from 0."""
    operation: str
    """The name of the operation, which only reads."""
    arguments: Data
    """Every argument by name."""


class ExitCallDone(TrialEvent):
    """A call of the exit's came back, or was given up."""

    type: Literal["exit_call_done"] = "exit_call_done"
    step: int
    """The step that submitted."""
    number: int
    """The number of its `exit_call_sent`."""
    result: Data | None = None
    """Its fields; null if the call failed."""
    error: CallFailure | None = None
    """Why it failed; null if it did not."""
    elapsed_ms: float = 0.0
    """Wall-clock milliseconds."""


class ConversationOpened(TrialEvent):
    """Turn one is ready: the system prompt and the first message, as pieces whose concatenation is what was sent."""

    type: Literal["conversation_opened"] = "conversation_opened"
    system: Text
    """The system prompt."""
    turn_one: tuple[Text, ...]
    """The pieces of the first message."""
    exchange: tuple[SaidMessage, ...] = ()
    """What stands between the system prompt and the first message: the opening calls as if the model had made them."""
    calls: Annotated[tuple[CallRecord, ...], BY_NUMBER] = ()
    """The opening calls, which are those of step 0; what they show counts as read."""
    rules: Text = ""
    """The workspace's rules as the gates see them."""


class CitationAnswered(TrialEvent):
    """A citation was allowed or refused."""

    type: Literal["citation"] = "citation"
    step: int
    """The step that cites."""
    number: int
    """Counts the step's citations, from 0."""
    citation: Citation
    """What was asked, and the answer."""


class SubmissionJudged(TrialEvent):
    """The gates gave their verdicts on a submission."""

    type: Literal["submission_judged"] = "submission_judged"
    step: int
    """The step that submitted."""
    number: int | None = None
    """Counts the step's submissions, from 0; null in older journals, where they stand in order."""
    judged: Judged
    """The submission with its verdicts."""


class AnswerSent(TrialEvent):
    """An answer is about to be handed to the environment."""

    type: Literal["answer_sent"] = "answer_sent"
    step: int
    """The step that answers."""
    message: Text
    """The answer."""
    outcome: str
    """The outcome class."""
    refs: tuple[Text, ...]
    """The citations."""
    fallback: bool = False
    """It is the last word of a trial that found no answer, and went past the gates."""
    failed: tuple[str, ...] = ()
    """Of a fallback: the gates and rules that had sent the submission back that it repeats."""
    late: bool = False
    """It is sent after the script that submitted it has ended."""


class AnswerDone(TrialEvent):
    """The environment took the answer, or `error` says why it did not."""

    type: Literal["answer_done"] = "answer_done"
    step: int
    """The step that answered."""
    error: CallFailure | None = None
    """Why it was not taken; null if it was."""
    late: bool = False
    """It was sent after the script that submitted it had ended."""


class StepDone(TrialEvent):
    """One whole step: of a script, of a reply without one, or of a solver that works without scripts."""

    type: Literal["step"] = "step"
    step: int
    """Counts the steps of the trial, from 1."""
    reply: Annotated[Text, JOINED] = ""
    """The model's raw reply."""
    state: Text = ""
    """Where the model says that it stands."""
    plan: tuple[Text, ...] = ()
    """What it means to do next."""
    done: bool = False
    """Whether it thinks that it is done; advisory."""
    code: Text = ""
    """The script; empty if the reply held none, or if the solver works without scripts."""
    output: Text = ""
    """What the script printed."""
    error: Text = ""
    """What ended the script, or why the reply held none."""
    fault: str = ""
    """Why the reply held nothing to do: `cut_off`, `filtered`, `empty`, `only_thoughts`, `no_object`, `garbled`,
    `wrong_shape` or `no_call`; empty if it held something, and in older journals."""
    ending: str = ""
    """How the script ended; empty if none ran."""
    calls: Annotated[tuple[CallRecord, ...], BY_NUMBER] = ()
    """Every environment call with its result."""
    citations: Annotated[tuple[Citation, ...], BY_NUMBER] = ()
    """Every citation with its answer."""
    exit_calls: Annotated[tuple[ExitCall, ...], BY_NUMBER] = ()
    """Every call that the exit made to judge the step's submissions."""
    scratchpad: Data = Field(default_factory=dict)
    """The scratchpad after the step, in the tagged form of `sandbox.interface.scratchpad_values`."""
    verdicts: Annotated[tuple[Judged, ...], BY_NUMBER] = ()
    """Every submission of the step, judged."""
    feedback: tuple[Text, ...] = ()
    """What the model gets next, as pieces: the result of each tool call of the reply, and one message of the others.
    Empty after an accepted answer."""
    usage: Annotated[Usage, JOINED] = Usage()
    """Tokens of the reply."""
    cost_usd: Annotated[float | None, JOINED] = None
    """What the endpoint says that the reply cost."""
    elapsed_ms: float = 0.0
    """Wall-clock milliseconds of the script."""
    refunded: bool = False
    """It counts as no step of the budget."""


class Noticed(TrialEvent):
    """Something worth knowing about a trial that is no step: a retry, a pause, a sandbox that had to be made again."""

    type: Literal["notice"] = "notice"
    text: Text
    """One line."""
    retry: bool = False
    """A request failed in passing and is made again."""


AgentEvent: TypeAlias = (
    CallSent
    | CallDone
    | ExitCallSent
    | ExitCallDone
    | ConversationOpened
    | ModelAsked
    | ModelReplied
    | EndpointLearned
    | CitationAnswered
    | SubmissionJudged
    | AnswerSent
    | AnswerDone
    | StepDone
    | Noticed
)

Emit: TypeAlias = Callable[[AgentEvent], None]
Conversation: TypeAlias = list[Message]
