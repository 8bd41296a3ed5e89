"""Tells if an error says that a parameter is unknown, not that its value is wrong.

| error | the parameter is |
|---|---|
| `Unrecognized request argument: max_tokens` | unknown, so another name may help |
| `max_tokens must be at most 4096` | known, so another name would not help |
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.endpoint.errors.error_reply import ErrorReply

UNSUPPORTED_CODE: Final = "unsupported_parameter"
UNSUPPORTED_PHRASES: Final = (
    "unsupported",
    "not support",
    "not permitted",
    "unexpected keyword",
    "unknown name",
    "unrecognized",
)
"""Lower-case phrases that say that a parameter is unknown."""


def says_unknown(refusal: ErrorReply) -> bool:
    """Return True if an error says that a parameter is unknown, by a code or in words."""
    if UNSUPPORTED_CODE in refusal.contents.codes:
        return True
    text = refusal.contents.text.lower()
    return any(phrase in text for phrase in UNSUPPORTED_PHRASES)
