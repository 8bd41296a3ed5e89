"""Tells the model how to read the rest of a result that is shown only in part.

| what is shown | notice |
|---|---|
| 6,800 of 10,000 characters | `(3200 more characters: read)` |
| the same, and the environment has `read_all` | `(3200 more characters: read_all(path))` |
| all that the environment has returned, which is only a part | `(It goes on: read)` |
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.events import CallRecord
from controlplane.sandbox.interface import Effect, Operation, ToolSchema

READ_ALL: Final = "read_all"
"""The function that returns a whole file. Some environments have it because `read` cuts
long files. A shortened text then says that it reads the rest."""


def rest_notice(
    schema: ToolSchema, operation: Operation, outcome: CallRecord, hidden_chars: int
) -> str:
    """Return how the model can read the rest of a result; empty if it is shown whole.

    The rest is what the message has no room for (`hidden_chars`), or what the environment
    itself left out (`truncated`).
    """
    call_to_read_on = operation.name
    has_read_all = schema.operation(READ_ALL) is not None
    if has_read_all and operation.effect is Effect.READS:
        call_to_read_on = f"{READ_ALL}(path)"
    if hidden_chars > 0:
        return f"\n({hidden_chars} more characters: {call_to_read_on})"
    if outcome.result is not None and outcome.result.get("truncated") is True:
        return f"\n(It goes on: {call_to_read_on})"
    return ""
