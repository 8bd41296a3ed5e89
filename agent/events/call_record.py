"""What a journal keeps, and its record of a call."""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, JsonValue

from controlplane.agent.model import Amount, Count
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, error_codes

# The data of the journal: immutable records, the marks of their fields, and entries of steps.
#
# The journal is a file with one line of JSON for each event of a run.

Text: TypeAlias = InstanceOf[str]
"""Text from a model, a script or an environment, unchanged. It may contain lone surrogates."""
Data: TypeAlias = InstanceOf[dict[str, JsonValue]]
"""Data from the same sources, with JSON's types only. The sandbox has checked it."""

# Marks of fields, as in `calls: Annotated[tuple[CallRecord, ...], IN_OWN_LINES]`. They save
# room in the journal, or tell a comparison what to ignore.
IN_OWN_LINES: Final = "in own lines"
"""The journal has a line for each value, such as a call. The event's line has only their
numbers."""
IN_REPLY_LINE: Final = "in reply line"
"""The line of the model's reply has the value. The event's line leaves it out."""
NOT_IN_LINES: Final = "not in lines"
"""No line of the journal has the value: it follows from others."""
STORED_ONCE: Final = "stored once"
"""If the value is long, the journal has it in a line of its own, as it has long texts, and each
line with the same value refers to that one."""
VARIES_BY_RUN: Final = "varies by run"
"""The value differs between equal runs, such as a time. Comparisons ignore it."""


class JournalRecord(BaseModel):
    """Base class of the journal's data: immutable, with only the declared fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def build_models(base: type[JournalRecord] = JournalRecord) -> None:
    """Build the validators of all events now, before threads start.

    Otherwise the first use of a class builds it,
    which fails if two threads do so at once.
    """
    for kind in base.__subclasses__():
        kind.model_rebuild()
        build_models(kind)


@functools.cache
def fields_marked(kind: type[JournalRecord], mark: str) -> tuple[str, ...]:
    """Return the names of the fields of a class that have a mark: `fields_marked(StepDone, VARIES_BY_RUN)`."""
    names: list[str] = []
    for name, field in kind.model_fields.items():
        if mark in field.metadata:
            names.append(name)
    return tuple(names)


# One thing that a step has done, such as a citation, to compare it with the record of the step.
#
# A trial whose process was killed runs the script of its recorded step again. It cites the same file:
#
#     recorded   Citation(path="/a.md", reason="the fee", spelling="/a.md")
#     now        Citation(path="/a.md", reason="the fee", error="it was not read")
#
# The path and the reason are the *action*. If another action is recorded, the trial cannot go on.
# The rest is the outcome. If another outcome is recorded, the recorded one counts, and the difference
# is noted.


class StepEntry(JournalRecord):
    """Base class of the things that a step does, each of them several times, in order."""

    name_in_differences: ClassVar[str]
    """How messages name an entry: `citations[{number}]`, or only `verdicts`."""
    nothing: ClassVar[str] = "nothing"
    """What messages say in place of a recorded entry, if the record of the step ends before it."""

    @classmethod
    def name_at(cls, number: int) -> str:
        """Return how messages name the entry at a position: `citations[2]`."""
        return cls.name_in_differences.format(number=number)

    @property
    @abstractmethod
    def action(self) -> object:
        """What was done. A trial that relives its record has to do the same."""

    @property
    def compared(self) -> object:
        """What has to be equal, or a difference is noted: by default, the whole entry."""
        return self

    @property
    def shown(self) -> object:
        """What messages show of the entry, if another action is recorded."""
        return self.compared


# A call of the environment, such as `read(path="/docs/a.md")`, and how far it has come.
#
# A call that may change something is first recorded as `under_way`. It becomes `made`, with a
# result, or `failed`, with an error. If the process is killed meanwhile, it becomes `lost`: it may
# have happened or not.


class CallFailure(JournalRecord):
    """A call that the environment refused or could not make."""

    code: Text
    """A code of the Connect protocol, such as `not_found`."""
    message: Text
    """The environment's own words."""


CallState: TypeAlias = Literal["under_way", "made", "failed", "lost", "not_made"]
"""How far a call has come (see `CallRecord.state`)."""


class CallRecord(StepEntry):
    """One call of a trial, from the moment it is planned to its outcome.

    A call is never changed: each step of its life is a copy.

        call = CallRecord.planned(tool_schema, "pay", {"amount": 3})    under_way, may_change
        call.made({"paid": 3}, elapsed_ms=4.1)                          made
        call.refused("resource_exhausted", "no calls are left")         not_made
    """

    # How messages name a call, and what they say if no such call is recorded.
    name_in_differences = "calls[{number}]"
    nothing = "no further call"

    operation: str
    """The name of the operation, as the environment declares it."""
    arguments: Data
    """Every argument by name, defaults included."""
    in_verify: bool = False
    """True if `verify`, the script's own check of its answer, made the call."""
    outer: Count | None = None
    """The number of another call, a function of the environment, that asked for this one: 4 for a
    read that call 4 of the step needs. Null for the solver's own calls."""
    origins: Data = Field(default_factory=dict)
    """For a call that may change something, a word for where each argument comes from: `{"amount":
    "asked"}` if the user's request has the amount. Empty for other calls."""
    state: CallState = "made"
    """What became of it. `made`: it has a result. `failed`: the environment refused it, or could
    not make it. `not_made`: it was refused here, before it was sent. `lost`: it was interrupted, and
    may have happened. `under_way`: it is about to be sent; a later record has its outcome."""
    result: Annotated[Data | None, STORED_ONCE] = None
    """The fields of the result; null if the call failed."""
    error: CallFailure | None = None
    """The failure; null if the call succeeded."""
    shown_chars: Count | None = None
    """Characters of an initial call's text that the
    initial prompt shows; null for a script's call."""
    elapsed_ms: Annotated[Amount, VARIES_BY_RUN] = 0.0
    """Wall-clock milliseconds."""
    number: Annotated[Count, NOT_IN_LINES] = 0
    """The call's number in its step, from 0."""
    may_change: Annotated[bool, NOT_IN_LINES] = True
    """True if its operation, with these arguments, may change something, such as a file or an
    order (see `decided_by`). What is not known counts as a change."""

    # From the plan to the outcome

    @classmethod
    def planned(
        cls,
        tool_schema: ToolSchema,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool = False,
        outer: int | None = None,
    ) -> CallRecord:
        """Return a call that is about to be made. `tool_schema` says if it may change something."""
        return cls(
            operation=operation,
            arguments=dict(arguments),
            in_verify=in_verify,
            outer=outer,
            state="under_way",
            may_change=tool_schema.may_change(operation, arguments),
        )

    def decided_by(self, tool_schema: ToolSchema) -> CallRecord:
        """Return a call of the journal, whose `may_change` is decided as when it was planned."""
        may_change = tool_schema.may_change(self.operation, self.arguments)
        return self.changed(may_change=may_change)

    def made(self, result: Data, elapsed_ms: float) -> CallRecord:
        """Return the call with its result."""
        return self.changed(
            state="made", result=result, error=None, elapsed_ms=elapsed_ms
        )

    def failed(self, error: CallError, elapsed_ms: float) -> CallRecord:
        """Return the call with the error of the environment."""
        failure = CallFailure(code=str(error.code), message=str(error.message))
        return self.changed(
            state="failed", result=None, error=failure, elapsed_ms=elapsed_ms
        )

    def refused(self, code: str, reason: str) -> CallRecord:
        """Return the call as one that is not sent for a reason. `code` is one of `error_codes`."""
        failure = CallFailure(code=code, message=reason)
        return self.changed(state="not_made", error=failure)

    def lost(self, reason: str) -> CallRecord:
        """Return the call as one that was interrupted: it may have happened."""
        failure = CallFailure(code=error_codes.UNKNOWN, message=reason)
        return self.changed(state="lost", error=failure)

    def changed(self, **fields: object) -> CallRecord:
        """Return a copy with these fields, which are not validated."""
        return self.model_copy(update=fields)

    # What became of it

    @property
    def was_sent(self) -> bool:
        """False for a call that was refused here, such as one beyond the trial's limit of calls.

        A call under way counts as sent, as it may have happened if the process is killed now.
        """
        return self.state != "not_made"

    @property
    def changes(self) -> bool:
        """True if it may have changed something. A call that was not sent changes nothing."""
        return self.was_sent and self.may_change

    @property
    def tool_refusal(self) -> str:
        """Why a call of a server's tool was not allowed, with the option that allows it; else empty."""
        is_of_server = "." in self.operation  # as in `git.git_commit`
        if self.error is None or not is_of_server:
            return ""
        is_refused = self.error.code == error_codes.PERMISSION_DENIED
        return self.error.message if is_refused else ""

    @property
    def is_under_way(self) -> bool:
        """True if the record has no outcome yet."""
        return self.state == "under_way"

    @property
    def has_unknown_end(self) -> bool:
        """True if it may have happened or not, as the process was killed meanwhile."""
        return self.state in ("under_way", "lost")

    @property
    def is_of_mcp_server(self) -> bool:
        """True for a tool of an MCP server, such as `wiki.search`: only their names have a dot.

        Such a tool acts outside of the trial's environment.
        """
        return "." in self.operation

    # As an entry of its step

    @property
    def action(self) -> tuple[str, dict[str, JsonValue], bool]:
        """The request to the environment; the last value says whether `verify` makes it."""
        return self.operation, self.arguments, self.in_verify

    @property
    def compared(self) -> None:
        """None, so that no outcome differs: a call is not made again, but gets the recorded one."""
        return

    @property
    def shown(self) -> str:
        """The request as messages show it: `read({'path': '/a.md'})`."""
        return f"{self.operation}({self.arguments})"
