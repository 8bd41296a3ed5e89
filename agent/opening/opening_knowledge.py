"""What the opening calls have told so far: files, what tools printed, texts, the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent.opening.collapsed_tree import children_of, files_below
from agent.opening.name_index import NameIndex
from agent.opening.section import Section
from sandbox.interface import Effect, Plain


@dataclass(slots=True)
class OpeningKnowledge:
    """Filled section by section, in their order."""

    instruction: str
    files: list[str] = field(default_factory=list)
    trees: list[tuple[str, int, Mapping[str, Plain]]] = field(default_factory=list)
    """The trees with their roots and how many levels each of them shows; 0 for all."""
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
            level = arguments.get("level")
            is_cut = section.parts is None and isinstance(level, int)
            self.trees.append((section.root, level if is_cut and isinstance(level, int) else 0, result))
        elif operation.effect is Effect.EXECUTES and arguments.get("args") != ["--help"]:
            self.outputs.append(text)
        if section.holds_rules:
            self.rules = str(result.get(operation.json_field, ""))
        if section.room is not None:
            self.texts[section.subject] = text

    def files_in(self, folder: str) -> list[str] | None:
        """Return all files below a folder, sorted; None if no tree shows whether these are all."""
        for root, level, tree in self.trees:
            if not f"{folder.rstrip('/')}/".startswith(f"{root.rstrip('/')}/"):
                continue
            names = folder.removeprefix(root.rstrip("/")).strip("/").split("/")
            node: Mapping[str, Plain] | None = tree
            depth = 0
            while node is not None and depth < len(names) and names[depth] and _is_shown(node, depth, level):
                node = next((child for child in children_of(node) if child.get("name") == names[depth]), None)
                depth += 1
            if node is None:
                return []
            if (depth == len(names) or not names[0]) and _shows_all(node, depth, level):
                return sorted(files_below(node, folder))
        return None

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


def _is_shown(folder: Mapping[str, Plain], depth: int, level: int) -> bool:
    """Say whether a tree of `level` levels shows what the folder holds."""
    return folder.get("children", ()) is not None and (depth < level or not level)


def _shows_all(node: Mapping[str, Plain], depth: int, level: int) -> bool:
    if not node.get("is_dir"):
        return True
    return _is_shown(node, depth, level) and all(_shows_all(child, depth + 1, level) for child in children_of(node))
