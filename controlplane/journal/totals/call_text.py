"""Short texts for calls, such as `read /a/b.md`, for displays of running trials."""

from __future__ import annotations

from typing import Final

from controlplane.agent.events import CallEvent

MOST_SHOWN_CALLS: Final = 20
"""A display shows this many of a trial's latest calls."""
MOST_CALL_CHARS: Final = 80
"""The length to which `call_text` cuts the text for one call."""


def call_text(event: CallEvent) -> str:
    """Return a short text for a call: `read` with the path `/a/b.md` -> `"read /a/b.md"`.

    It consists of the operation, the path (or the first text among the arguments), and
    the `args` of a program.
    """
    arguments = event.arguments
    subject = arguments.get("path")
    if not subject:
        texts = [value for value in arguments.values() if isinstance(value, str)]
        subject = texts[0] if texts else ""
    program_args = arguments.get("args")
    words = ""
    if isinstance(program_args, list):
        words = " ".join(str(arg) for arg in program_args)
    return f"{event.operation} {subject} {words}".strip()[:MOST_CALL_CHARS]
