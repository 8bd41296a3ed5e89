"""A call of the environment, such as `read(path="/docs/a.md")`, and how far it has come.

A call that may change something is first recorded as `under_way`. It becomes `made`, with a
result, or `failed`, with an error. If the process is killed meanwhile, it becomes `lost`: it may
have happened or not.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue

from controlplane.agent.events.journal_record import (
    VARIES_BY_RUN,
    Data,
    JournalRecord,
    StepEntry,
    Text,
)
from controlplane.agent.model import Amount, Count
from controlplane.sandbox.interface import ToolSchema


class CallFailure(JournalRecord):
    """A call that the environment refused or could not make."""

    code: Text
    """A code of the Connect protocol, such as `not_found`."""
    message: Text
    """The environment's own words."""


CallState: TypeAlias = Literal["under_way", "made", "failed", "lost", "not_made"]
"""How far a call has come (see `CallRecord.state`)."""


class CallRecord(StepEntry):
    """One environment call and its outcome."""

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
    not make it. `not_made`: it was refused here, before it was sent. `lost`: it was cut off, and
    may have happened. `under_way`: it is about to be sent; a later record has its outcome."""
    result: Data | None = None
    """The fields of the result; null if the call failed."""
    error: CallFailure | None = None
    """The failure; null if the call succeeded."""
    shown_chars: Count | None = None
    """Characters of an initial call's text that the
    initial prompt shows; null for a script's call."""
    elapsed_ms: Annotated[Amount, VARIES_BY_RUN] = 0.0
    """Wall-clock milliseconds."""

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

    @property
    def was_sent(self) -> bool:
        """False for a call that was refused here, such as one beyond the trial's limit of calls.

        A call under way counts as sent, as it may have happened if the process is killed now.
        """
        return self.state != "not_made"

    def changes(self, tool_schema: ToolSchema) -> bool:
        """Return True if the call may have changed something, such as a file or an order.

        `tool_schema` declares what its operation does. A call that was not sent changes nothing.
        """
        return self.was_sent and tool_schema.may_change(self.operation, self.arguments)

    @property
    def is_of_mcp_server(self) -> bool:
        """True for a tool of an MCP server, such as `wiki.search`: only their names have a dot.

        Such a tool acts outside of the trial's environment.
        """
        return "." in self.operation

    def changed(self, **fields: object) -> CallRecord:
        """Return the call with these fields, not validated: `model_copy` takes twice as long."""
        return CallRecord.model_construct(**vars(self) | fields)
