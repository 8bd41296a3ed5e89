"""The first message of a trial: sections that show the results of the *initial calls*.

These calls are made before the model is asked. They read, for example, the files that fit the
request, so that the model need not search for them. The message ends with the instruction:

    message.pieces                     "<section ...>", "A key is lent for a day.", "</section>"
    instruction_text(message, ...)     "<instruction>Renew my loan</instruction>"
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.events import (
    CallRecord,
    ConversationOpened,
    RankedFile,
    SaidMessage,
)
from controlplane.agent.initial_calls.prompt_sections import Section
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class FirstMessage:
    """The first message of a trial, and what the initial calls have found out."""

    trial_id: str
    calls: tuple[CallRecord, ...]
    tool_schema: ToolSchema
    """The environment's declaration without the tools whose test call failed."""
    sections: list[Section]
    """In the order of the message. Each shows one result."""
    rules: str
    """The text of the workspace's rules."""
    ranked_files: tuple[RankedFile, ...]
    """For the journal: how well each file fits the request, and whether it is shown."""
    shortened_for: int
    """If the context of the model is too small for all files that fit: its tokens; else 0."""

    @property
    def pieces(self) -> list[str]:
        """The texts of the sections, to be joined."""
        pieces: list[str] = []
        for section in self.sections:
            pieces += section.pieces
        return pieces

    def conversation(
        self, system: str, message: Sequence[str], exchange: Sequence[SaidMessage] = ()
    ) -> ConversationOpened:
        """Return the event that records the start of the conversation and the initial calls.

        `message` is the whole first message, with the instruction, as texts that are joined
        without separators. A solver may show the results of the initial calls in an
        `exchange` instead: messages in which the model seems to have made these calls.
        """
        return ConversationOpened(
            trial_id=self.trial_id,
            system=system,
            first_message=tuple(message),
            exchange=tuple(exchange),
            calls=self.calls,
            rules=self.rules,
            files=self.ranked_files,
            shortened_for=self.shortened_for,
        )
