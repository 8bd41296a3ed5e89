"""The files that a trial's script wrote, deleted or moved. What is read there proves nothing.

A script could write `fee: 8` to a file, read it back, and cite it. So such files are the trial's
*own*:

| call | an answer may cite the path as | the path is own |
|---|---|---|
| `write("/note.md", "fee: 8")` | written | yes |
| `delete("/old.md")` | deleted | yes |
| `move("/old.md", "/new.md")` | deleted, and `/new.md` as written | both |
"""

from __future__ import annotations

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.made_up_texts import MadeUpTexts
from controlplane.gates.trial.seen_text import SeenText
from controlplane.gates.trial.text_kind import TextKind


class ChangedFiles:
    """The files that the calls of one trial changed. All paths are canonical."""

    def __init__(self, accessed: AccessedPaths, known_paths: KnownPaths) -> None:
        self._accessed = accessed
        """What calls did at each path: here, `write` and `delete` are added."""
        self._known_paths = known_paths
        """Knows which paths are own, and where there are files."""
        self.made_up_texts = MadeUpTexts()
        """The texts that scripts wrote. A program may have copied them to any other file."""

    def write(self, path: str, text: str) -> None:
        """Add that the script wrote a text to a file."""
        self.made_up_texts.add_written(text)
        self.add_own_text(path, text)
        self._known_paths.learn_written(path)

    def delete(self, path: str) -> None:
        """Add that the script deleted a file. It may write another one there."""
        # If the trial did not write the file, its name is not invented.
        was_own = self._known_paths.is_own(path)
        has_invented_name = was_own and self._looks_like_row(path)
        if not has_invented_name:
            self._accessed.add_action(path, "delete")
        self._known_paths.own.add(path)

    def move(self, path: str, target: str) -> None:
        """Add that the script moved a file or folder. No call has returned the text of the target."""
        self.delete(path)
        self.add_own_text(target, "")
        self._known_paths.learn_written(target)
        # The files that the trial wrote in a moved folder are own in the new one, too.
        self._known_paths.own.add_moved(path, target)

    def has(self, path: str, text: str) -> bool:
        """Return True if a text read at a path may be the script's: it wrote the file or the text."""
        return self._known_paths.is_own(path) or text in self.made_up_texts

    def add_own_text(self, path: str, text: str, kind: TextKind = TextKind.OWN) -> None:
        """Add a text of the script, which it wrote to a file, or has read there now."""
        if not self._looks_like_row(path):
            self._accessed.add_action(path, "write", SeenText(text, kind))

    def _looks_like_row(self, path: str) -> bool:
        """Return True for a path such as `/a.csv#row=7` that no call has reached yet.

        A script could write a file of this name. An answer that cites it would seem to cite
        row 7 of `/a.csv`. So the file cannot be cited.
        """
        return "#" in path and path not in self._accessed
