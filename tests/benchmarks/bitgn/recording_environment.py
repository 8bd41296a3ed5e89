"""An environment that passes calls on to another one, and records what each returned or raised.

    environment = RecordingEnvironment(trial.environment)
    environment.call("read", {"path": "/docs/stock.md"})
    environment.calls  # [RecordedCall("read", {"path": "/docs/stock.md"}, {"content": "# Stock ..."})]

So the same trial can be compared in two places: in this process, and on a server.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from controlplane.sandbox.interface import CallError, Plain, ToolSchema


class RecordedCall(NamedTuple):
    """A call to an environment, and what it returned or raised."""

    operation: str
    arguments: Mapping[str, Plain]
    result: dict[str, Plain] | None
    """None if the call failed."""
    error_code: str = ""
    error_message: str = ""


@dataclass
class RecordingEnvironment:
    """Passes calls on to an environment, and records them."""

    environment: Any
    calls: list[RecordedCall] = field(default_factory=list)

    @property
    def tool_schema(self) -> ToolSchema:
        """The operations of the environment."""
        schema: ToolSchema = self.environment.tool_schema
        return schema

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make the call and record it."""
        try:
            result: dict[str, Plain] = self.environment.call(operation, arguments)
        except CallError as error:
            failed_call = RecordedCall(
                operation, arguments, None, error.code, error.message
            )
            self.calls.append(failed_call)
            raise
        self.calls.append(RecordedCall(operation, arguments, result))
        return result

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.environment.answer(message, outcome, refs)
