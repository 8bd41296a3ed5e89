"""What the opening calls have told so far: files, what tools printed, texts, the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent.opening.collapsed_tree import files_below
from agent.opening.name_index import NameIndex
from agent.opening.section import Section
from sandbox.interface import Effect, Plain


@dataclass(slots=True)
class OpeningKnowledge:
    """Filled section by section, in their order."""

    instruction: str
    files: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    """What tools printed that were not asked for help."""
    texts: dict[str, str] = field(default_factory=dict)
    """What the files hold that are shown for their name, by path."""
    rules: str = ""
    _index: tuple[tuple[str, ...], int, NameIndex] | None = None

    def learn(self, section: Section, result: Mapping[str, Plain], text: str) -> None:
        """Learn from a section's result and its text."""
        operation, arguments = section.operation, section.call.call.arguments
        if operation.drawn_as_tree:
            self.files += files_below(result, section.root)
        elif operation.effect is Effect.EXECUTES and arguments.get("args") != ["--help"]:
            self.outputs.append(text)
        if section.holds_rules:
            self.rules = str(result.get(operation.json_field, ""))
        if section.room is not None:
            self.texts[section.subject] = text

    @property
    def said(self) -> str:
        """What may name files: the instruction, and what tools printed."""
        return "\n".join([self.instruction, *self.outputs])

    def index(self, roots: Sequence[str]) -> NameIndex:
        """Return the files below `roots`, by name: the last index again if no file has come since."""
        asked = (*roots,), len(self.files)
        if self._index is None or self._index[:2] != asked:
            self._index = (*asked, NameIndex(self.files, roots))
        return self._index[2]
