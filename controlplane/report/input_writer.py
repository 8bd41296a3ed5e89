"""Bounds what is written of the requests of a trial that are exported to a file.

Each request repeats the conversation so far. A trial of 200 steps with 10,000 characters each
has sent 2 million characters once, and 200 million in all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.report.model_requests import Message, ModelRequest

MOST_REPEATED_CHARS: Final = 50_000_000
"""Characters of a trial's requests that are written with all their messages."""


@dataclass(frozen=True, slots=True)
class WrittenInput:
    """The messages of a request as they are written to a file."""

    messages: tuple[Message, ...]
    left_out: int
    """The number of messages before them, which an earlier request has."""


class InputWriter:
    """Decides which messages of each request are written to a file.

    Requests are written with all their messages until a limit is reached, and from then on only
    with their new messages.
    """

    def __init__(self, most_chars: int = MOST_REPEATED_CHARS) -> None:
        self.chars_left = most_chars

    def input_of(self, request: ModelRequest) -> WrittenInput:
        """Return the messages to write of the next request."""
        if not request.shared:  # All its messages are new.
            return WrittenInput(request.messages, left_out=0)
        if self.chars_left > 0:
            self.chars_left -= sum(len(message.text) for message in request.messages)
        if self.chars_left > 0:
            return WrittenInput(request.messages, left_out=0)
        return WrittenInput(request.new_messages, left_out=request.shared)
