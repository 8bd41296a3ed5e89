"""The first message of a trial: sections that show the results of the initial calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.events import ConversationOpened, RankedFile, SaidMessage
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.initial_calls.prompt_sections import Section
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class FirstMessage:
    """The first message of a trial, without the instruction."""

    recorder: Recorder
    """Has the initial calls."""
    tools: ToolSchema
    """The environment's declaration without the tools whose test call failed."""
    sections: list[Section]
    rules: str
    """The text of the workspace's rules."""
    ranked_files: tuple[RankedFile, ...]
    """The rows about the ranked files, for the journal."""
    shortened_for: int
    """The model's context in tokens, if it left no room for a file that fits; else 0."""

    @property
    def pieces(self) -> list[str]:
        """The texts of the sections, to be joined without separators."""
        pieces: list[str] = []
        for section in self.sections:
            pieces += section.pieces
        return pieces

    def instruction_text(self, prompt: str) -> str:
        """Return the filled prompt that ends the message.

        `prompt` has a text on how to cite the sections, and then the `<instruction>`.
        Without sections to cite, the text is left out.
        """
        if self.sections and self.tools.citations != "none":
            return prompt
        start = max(prompt.find("<instruction>"), 0)
        return prompt[start:]

    def conversation(
        self, system: str, message: Sequence[str], exchange: Sequence[SaidMessage] = ()
    ) -> ConversationOpened:
        """Return the event with the start of the conversation and the initial calls.

        `message` has the pieces of the whole first message, with the instruction.
        `exchange` has the messages before it that show initial calls as tool calls.
        """
        return ConversationOpened(
            trial_id=self.recorder.trial_id,
            system=system,
            first_message=tuple(message),
            exchange=tuple(exchange),
            calls=tuple(self.recorder.trace.calls),
            rules=self.rules,
            files=self.ranked_files,
            shortened_for=self.shortened_for,
        )
