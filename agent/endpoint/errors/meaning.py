"""What an error of an endpoint means for a trial and for its run.

An entry of the file `errors.toml` gives the meaning `too_long` to an error with the status 413,
with the code `context_length_exceeded`, or with the words `context size` in its text:

    [[meanings]]
    name = "too_long"
    message = "the conversation is longer than the model's context"
    affects_all = false
    statuses = [413]
    codes = ["context_length_exceeded"]
    [meanings.phrases]
    "context size" = "llama.cpp: ggml-org/llama.cpp#15780"
"""

from __future__ import annotations

from typing import Final

from pydantic import Field

from controlplane.agent.model import Frozen

# The names of meanings in `errors.toml` that the code refers to.
TOO_LONG: Final = "too_long"
BUSY: Final = "busy"
SERVER_FAILURE: Final = "server_failure"
UNKNOWN_MODEL: Final = "unknown_model"
UNKNOWN: Final = "unknown"
"""The meaning of an error that no other entry fits."""


class Meaning(Frozen):
    """What an error means if it has one of these statuses, codes or phrases."""

    name: str
    message: str
    """The text for the user; `{model}` stands for the model's name."""
    remedy: str = ""
    """What the user can do about it; empty if nothing."""
    retryable: bool = False
    """True if the same request may succeed later."""
    affects_all: bool = True
    """True if the requests of all trials are refused like this, so that the run pauses."""
    statuses: frozenset[int] = frozenset()
    codes: frozenset[str] = frozenset()
    phrases: dict[str, str] = Field(default_factory=dict)
    """Lower-case parts of an error's text, each with its source: a vendor and a report.
    `{"context size": "llama.cpp: ggml-org/llama.cpp#15780"}`"""

    def matches(self, status: int, codes: set[str], text: str) -> bool:
        """Return True if an error has this meaning. `codes` and `text` must be in lower case."""
        if status in self.statuses or codes & self.codes:
            return True
        return any(phrase in text for phrase in self.phrases)
