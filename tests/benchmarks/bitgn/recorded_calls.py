"""Calls that scripts made on the real platform, with its replies, from a record beside the repository.

    RecordedCall("read", {"path": "/AGENTS.MD"}, {"path": "/AGENTS.MD", "content": "# Founding ..."})

The values of the record are the protocol's, but fields of two words have other names: the protocol has
`exitCode` for `exit_code`.
"""

from pathlib import Path
from typing import Any, NamedTuple

RECORD = Path(__file__).parents[4] / "shared" / "real" / "trials.jsonl.gz"
"""The record has one trial a line: `{"calls": [[operation, arguments, reply], ...], ...}`.

A call: `["read", {"path": "/AGENTS.MD"}, {"path": "/AGENTS.MD", "content": "# Founding ..."}]`.
Its values are the protocol's: `{"kind": "NODE_KIND_FILE"}`. Names of two words are not, and
`WIRE_NAMES` translates them.
"""

WIRE_NAMES = {
    "exit_code": "exitCode",
    "line_text": "lineText",
    "start_line": "startLine",
    "end_line": "endLine",
}
"""The names that the protocol has for recorded fields. All other fields have the same name."""


def with_wire_names(value: Any) -> Any:
    """Return a recorded value with the protocol's names: `exitCode` for `exit_code`."""
    if isinstance(value, dict):
        renamed = {}
        for name, field_value in value.items():
            renamed[WIRE_NAMES.get(name, name)] = with_wire_names(field_value)
        return renamed
    if isinstance(value, list):
        return [with_wire_names(item) for item in value]
    return value


class RecordedCall(NamedTuple):
    """A call that a script made on the platform, and the platform's reply."""

    operation: str
    arguments: dict[str, Any]
    reply: dict[str, Any]
