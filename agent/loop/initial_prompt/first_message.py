"""The first message of a trial: sections that show the results of the *initial calls*.

These calls are made before the model is asked. They read, for example, the files that fit the
request, so that the model need not search for them. The message ends with the instruction:

    "<section ...>", "A key is lent ...", "</section>", "<instruction>Renew my loan</instruction>"
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

    def instruction_text(self, filled_template: str) -> str:
        """Return the end of the message, which has the instruction.

        `filled_template` is the prompt `first_message.md` with the instruction in its hole:
        "All above can be cited. <instruction>Renew my loan</instruction>".
        """
        if self.sections and self.tool_schema.is_cited:
            return filled_template
        # Leave out the text about citations, because there is nothing to cite.
        _, mark, instruction = filled_template.partition("<instruction>")
        if not mark:
            return filled_template  # The user's own template may lack the mark.
        return mark + instruction

    def conversation(
        self, system: str, message: Sequence[str], exchange: Sequence[SaidMessage] = ()
    ) -> ConversationOpened:
        """Return the event of the start. In an `exchange`, the model has made the calls itself."""
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
