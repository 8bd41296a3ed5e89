"""The exceptions that calls of `harness` and `scratchpad` raise in a script."""

from __future__ import annotations

from typing import Final


class HarnessError(Exception):
    """A call failed; `code` says how, `message` why."""

    def __init__(self, code: str = "unknown", message: str = "") -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class CitationError(Exception):
    """A path that cannot be cited, or a reason that is too short."""


class GateRejection(Exception):
    """An answer that the gates, its checks, rejected; the text says what to change."""


EXCEPTIONS: Final = {
    "HarnessError": HarnessError,
    "CitationError": CitationError,
    "GateRejection": GateRejection,
}
"""The exceptions as builtins of a script."""
