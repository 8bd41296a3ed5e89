"""What the initial calls of a trial gave for its first message.

The calls were made before the model is asked. Then the message is written: its sections show the
results, and it ends with the instruction:

    message    "<section ...>", "A key is lent for a day.", "</section>",
               "<instruction>Renew my loan</instruction>"
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
from controlplane.agent.initial_calls.sections.prompt_sections import Section
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class MessageResults:
    """The results of the initial calls, as far as they are shown, and what is known by them."""

    calls: tuple[CallRecord, ...]
    """All initial calls with their results."""
    sections: list[Section]
    """The sections of the message, in order."""
    tool_schema: ToolSchema
    """The environment's declaration without the tools that do not work."""
    rules: str
    """The text of the workspace's rules, by which answers are judged; empty without rules."""
    files: tuple[RankedFile, ...]
    """How well each file fits the request, and whether it is shown."""
    shortened_for: int
    """The size of the model's context in tokens if it has no room for all that fits; else 0."""

    @property
    def has_citable(self) -> bool:
        """True if the message shows something that can be cited."""
        return bool(self.sections) and self.tool_schema.is_cited

    def opened(
        self,
        trial_id: str,
        system: str,
        message: Sequence[str],
        exchange: Sequence[SaidMessage] = (),
    ) -> ConversationOpened:
        """Return the event that records the start of the conversation, and these results.

        `message` is the whole first message, as texts that are joined without separators. A solver
        may show the results in an `exchange` instead: messages in which the model seems to have
        made the calls.
        """
        return ConversationOpened(
            trial_id=trial_id,
            system=system,
            first_message=tuple(message),
            exchange=tuple(exchange),
            calls=self.calls,
            rules=self.rules,
            files=self.files,
            shortened_for=self.shortened_for,
        )
