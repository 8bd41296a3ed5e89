"""Records of calls, citations and submissions in events, and the types of text and data from outside."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, JsonValue

from agent.model.model_protocol import Message, ToolCall
from gates.verdict import key_of

if TYPE_CHECKING:
    from gates.submission import Submission
    from gates.verdict import Judgement

Text: TypeAlias = InstanceOf[str]
"""Text from a model, a script or an environment: kept as it came, lone surrogates included."""
Data: TypeAlias = InstanceOf[dict[str, JsonValue]]
"""Plain data from the same sources, of JSON's own types, which the sandbox has checked."""
BY_NUMBER: Final = "by number"
"""Marks a field whose values have events of their own: the journal's line holds their numbers."""
JOINED: Final = "joined"
"""Marks a field that the journal's line leaves out: the step's `model_replied` holds it."""


class Record(BaseModel):
    """Data of a journal: it never changes, and has only the declared fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def build_models(base: type[Record] = Record) -> None:
    """Build the validators of all events now: else their first use does, and threads must not share that."""
    for kind in base.__subclasses__():
        kind.model_rebuild()
        build_models(kind)


class SaidMessage(Record):
    """One message of a request to a model, without the thinking that may go with it."""

    role: str
    """`system`, `user`, `assistant` or `tool`."""
    content: Text
    """Its text."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The calls that an assistant made."""
    tool_call_id: str = ""
    """The id of the call that a tool answers."""

    @classmethod
    def of(cls, message: Message) -> SaidMessage:
        """Return `message` in its recorded form."""
        return cls(
            role=message["role"],
            content=message["content"],
            tool_calls=tuple(message.get("tool_calls", ())),
            tool_call_id=message.get("tool_call_id", ""),
        )

    def message(self) -> Message:
        """Return the message as a model takes it."""
        message = Message(role=self.role, content=self.content)
        if self.tool_calls:
            message["tool_calls"] = self.tool_calls
        if self.tool_call_id:
            message["tool_call_id"] = self.tool_call_id
        return message


class CallFailure(Record):
    """A call that the environment refused or could not make."""

    code: Text
    """A Connect code, such as `not_found`."""
    message: Text
    """The environment's own words."""


class CallRecord(Record):
    """One environment call and its outcome: `result`, or `error`."""

    operation: str
    """The name of the operation, as the environment declares it."""
    arguments: Data
    """Every argument by name, defaults included."""
    in_verify: bool = False
    """True if the script's `verify` made the call."""
    outer: int | None = None
    """The number of the call whose finding asked for it; null for the solver's own calls."""
    result: Data | None = None
    """The fields of the result; null if the call failed."""
    error: CallFailure | None = None
    """The failure; null if the call succeeded."""
    shown_chars: int | None = None
    """Characters of an opening call's text that turn one shows; None for a script's call."""
    elapsed_ms: float = 0.0
    """Wall-clock milliseconds."""


class Citation(Record):
    """One request to cite a path and its answer: `spelling`, or `error`."""

    path: Text
    """The path as requested."""
    reason: Text
    """The reason for the citation."""
    spelling: Text = ""
    """The spelling to cite; empty if the citation was refused."""
    error: Text = ""
    """Why the citation was refused; empty if it was allowed."""
    quote: Text = ""
    """The passage quoted from there; empty without a quotation."""
    line: int = 0
    """The line on which the quotation begins, counted from 1; 0 without one, or if that is unknown."""
    after_calls: int = 0
    """Number of calls that the step made before."""


class HandedIn(Record):
    """The submission of a solver without scripts. A script's submission is recovered by running the script again."""

    parts: Data
    """Its parts by name: `refs_why` or `refs`, and `facts`, `tokens`, `changes` if they are given."""
    after_calls: int = 0
    """Number of calls that the step made before."""


class VerdictRecord(Record):
    """One gate's verdict as it was given."""

    gate: int
    """1 to 8; 0 for a rule of a pack."""
    name: str
    """The gate's name, the name of one of its asking rules, or `pack/rule`."""
    result: str
    """`pass`, `reject`, `protest` (it still objects, and the answer is sent), `not_applicable` or `skipped`."""
    reason: Text
    """The reason, or the text of an objection."""
    enforcement: Literal["block", "ask", "off"] = "block"
    """The enforcement of the rule."""

    @property
    def key(self) -> str:
        """The key under which it is counted: a gate's number, `gate/rule`, or `pack/rule`."""
        return key_of(self.gate, self.name)


class Judged(Record):
    """One submission and what the gates said about it."""

    accepted: bool
    """True if no enforced gate or rule rejected it."""
    answer: Text
    """The message as it would be submitted."""
    outcome: str
    """The outcome class."""
    refs: tuple[Text, ...]
    """The citations, in their order."""
    message: Text
    """The fix-it message as the model got it; empty if the submission was accepted."""
    verdicts: tuple[VerdictRecord, ...]
    """One verdict per gate and rule, in order."""
    hints: tuple[Text, ...] | None = None
    """Notes for the solver that never reject."""
    handed_in: HandedIn | None = None
    """The whole submission of a solver without scripts; null for a script's."""

    @property
    def rejections(self) -> tuple[VerdictRecord, ...]:
        """The rejections by enforced gates and rules."""
        return tuple(one for one in self.verdicts if one.result == "reject" and one.enforcement != "off")

    @property
    def protests(self) -> tuple[VerdictRecord, ...]:
        """The objections under which the answer was sent: they had been raised in two turns before."""
        return tuple(one for one in self.verdicts if one.result == "protest")

    @classmethod
    def of(cls, judgement: Judgement, submission: Submission, *, after_calls: int) -> Judged:
        """Return `judgement` of `submission` in its recorded form."""
        return cls(
            accepted=judgement.accepted,
            answer=judgement.answer,
            outcome=judgement.outcome,
            refs=judgement.refs,
            message="" if judgement.accepted else judgement.message,
            verdicts=tuple(
                VerdictRecord(
                    gate=one.gate, name=one.name, result=one.result, reason=one.reason, enforcement=one.enforcement
                )
                for one in judgement.verdicts
            ),
            hints=judgement.hints,
            handed_in=None if submission.from_script else _handed_in(submission, after_calls),
        )

    def submission(self) -> Submission:
        """Return the submission of a solver without scripts, as it was submitted."""
        from gates.submission import Submission  # Reading a journal does not need the gates.

        parts = cast("dict[str, Any]", self.handed_in.parts if self.handed_in else {"refs": list(self.refs)})
        return Submission(**{"answer": self.answer, "outcome": self.outcome, **parts})


def _handed_in(submission: Submission, after_calls: int) -> HandedIn:
    """Return the parts of `submission` that its judgement does not record: all but the answer and outcome."""
    from gates.submission import SUBMITTED_KEYS

    parts = {name: getattr(submission, name) for name in SUBMITTED_KEYS if getattr(submission, name) is not None}
    for name in ("answer", "outcome"):
        if isinstance(parts.get(name), str):
            del parts[name]
    return HandedIn(parts=parts, after_calls=after_calls)


def now_ms() -> int:
    """Return the wall clock in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class Event(Record):
    """One thing that happened. `at_ms` is the wall clock in milliseconds since the epoch."""

    at_ms: int = Field(default_factory=now_ms)


class TrialEvent(Event):
    """Something that happened in one trial."""

    trial_id: str
