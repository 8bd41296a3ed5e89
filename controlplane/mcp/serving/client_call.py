"""A client's call of a tool, and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ClientCall:
    """A call of a tool by a client."""

    tool: str
    arguments: Mapping[str, Any]
    session: str | None
    """The client's session; None if the protocol names none."""
    approve: Callable[[str], bool] | None = None
    """Asks the client's user, in a form, whether to make a call of a script that is held back.

    None if the client cannot show forms (the protocol's elicitation).
    """


@dataclass(frozen=True, slots=True)
class CallResult:
    """The reply to a client's call."""

    text: str
    failed: bool = False
    question_id: str = ""
    """The question that the call belongs to; empty if the server serves a single trial."""


def session_of(request: Any) -> str | None:
    """Return the name of a client's session.

    Over HTTP it is the session's id in the headers of `request`, or None if the client
    sends no id. Over standard input there is no request, and the name is `stdio`, since
    only one client is at the other end.
    """
    if request is None:
        return "stdio"
    session: str | None = request.headers.get("mcp-session-id")
    return session
