"""The files that a trial's script wrote, deleted or moved. What is read there proves nothing.

A script could write `fee: 8` to a file, read it back, and name the file as the proof of its answer.
So the paths of such files are the trial's *own*. The answer may only say what was done there:

    write("/note.md", "fee: 8")      /note.md is own, and was written
    delete("/old.md")                /old.md is own, and was deleted
    move("/old.md", "/new.md")       both are own: /old.md was deleted, and /new.md written

A script may also write a file of the name `/a.csv#row=7`, which looks like row 7 of `/a.csv`. An answer
must not name it, so neither the write nor the delete is added.
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
        add_own_text(self.accessed, path, text)  # nothing for an invented name
        self.known_paths.learn_written(path)

    def delete(self, path: str) -> None:
        """Add that the script deleted a file. A file that it writes there later is own as well."""
        is_script_written = self.known_paths.is_own(path)
        has_invented_name = is_script_written and looks_like_row(path, self.accessed)
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
