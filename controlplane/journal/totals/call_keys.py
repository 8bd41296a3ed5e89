"""Keys of calls that were stopped before they were made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from controlplane.agent.events import CallApproval, CallStopped


class CallKey(NamedTuple):
    """Identifies a call that was stopped before it was made. The same call may be tried again."""

    stopped_by: str
    """What stopped it: `check` (the benchmark judges calls before they are
    made) or `provenance` (an argument comes from a text that is not trusted)."""
    operation: str
    path: str
    """The argument `path`; empty without one."""
    arguments: str
    """All arguments as JSON."""


def call_key(event: CallStopped) -> CallKey:
    """Return the key of a call that was stopped."""
    return _key_of_call(event.by, event.operation, event.arguments)


def approval_key(event: CallApproval) -> CallKey:
    """Return the key of a call that the user was asked to approve.

    The user is asked about a call that was stopped for its provenance.
    """
    return _key_of_call("provenance", event.operation, event.arguments)


def _key_of_call(
    stopped_by: str, operation: str, arguments: Mapping[str, Any]
) -> CallKey:
    path = str(arguments.get("path", ""))
    return CallKey(stopped_by, operation, path, json.dumps(arguments, sort_keys=True))
