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

from dataclasses import dataclass

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.made_up_texts import MadeUpTexts
from controlplane.agent.evidence.paths.own_texts import add_own_text, looks_like_row


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """Adds the files that the calls of one trial changed. All paths are canonical."""

    accessed: AccessedPaths
    """What calls did at each path: here, `write` and `delete` are added."""
    known_paths: KnownPaths
    """Knows which paths are own, and where there are files."""
    made_up_texts: MadeUpTexts
    """The texts that scripts wrote. A program may have copied them to any other file."""

    def write(self, path: str, text: str) -> None:
        """Add that the script wrote a text to a file."""
        self.made_up_texts.add_written(text)
        add_own_text(self.accessed, path, text)
        self.known_paths.learn_written(path)

    def delete(self, path: str) -> None:
        """Add that the script deleted a file. It may write another one there."""
        # If the trial did not write the file, its name is not invented.
        was_own = self.known_paths.is_own(path)
        has_invented_name = was_own and looks_like_row(path, self.accessed)
        if not has_invented_name:
            self.accessed.add_action(path, "delete")
        self.known_paths.own.add(path)

    def move(self, path: str, target: str) -> None:
        """Add that the script moved a file or folder. No call has returned the text of the target."""
        self.delete(path)
        add_own_text(self.accessed, target, "")
        self.known_paths.learn_written(target)
        # The files that the trial wrote in a moved folder are own in the new one, too.
        self.known_paths.own.add_moved(path, target)
