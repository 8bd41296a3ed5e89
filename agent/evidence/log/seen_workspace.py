"""The paths and texts that a trial's calls have seen, which is what an answer may cite.

A script could cheat: it writes `fee: 8` to a file, reads it back, and cites it. So a file that the
trial wrote is its *own*, and its text is no proof. After three calls, `accessed` has:

| call | is added by | `accessed` |
|---|---|---|
| `read("/docs/fees.md")` | `texts.add_file_text` | `/docs/fees.md`: read, with a text that is proof |
| `write("/note.md", "fee: 8")` | `changed_files.write` | `/note.md`: written |
| `read("/note.md")` | `texts.add_file_text` | `/note.md`: written, with a text that is no proof |
"""

from __future__ import annotations

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.changed_files import ChangedFiles
from controlplane.agent.evidence.paths.cited_paths import CitedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.made_up_texts import MadeUpTexts
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.paths.seen_texts import SeenTexts
from controlplane.agent.evidence.texts.own.trial_words import TrialWords
from controlplane.sandbox.interface import ToolSchema


class SeenWorkspace:
    """The paths and texts that the calls of one trial have seen, in the parts that keep them."""

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int) -> None:
        """`most_text_bytes` is the most memory for kept texts; 0 stands for the usual amount."""
        # What is known. Two of these parts share the seen texts, each of which is kept once.
        seen_texts = SeenTexts(most_text_bytes)
        self.accessed = AccessedPaths(seen_texts)
        """What calls did at each path, and which texts they saw there."""
        self.known_paths = KnownPaths()
        """Which files exist, which of them are the trial's own, and which paths are aliases."""
        self.cited_paths = CitedPaths(self.accessed, self.known_paths)
        """The path by which a script cites a file: `/docs/Loans.md` for its alias `/Loans.md`."""
        self.words = TrialWords(tool_schema, seen_texts.texts)
        """Which words a script may have made up. They are no proof in any text, not even in one
        that the script did not write: a tool may store `fee: 8`, and return it later."""

        # What adds to it
        # The contents that scripts made up. They are no proof in any file.
        made_up_texts = MadeUpTexts()
        self.changed_files = ChangedFiles(
            self.accessed, self.known_paths, made_up_texts
        )
        """Adds the files that calls write, delete or move."""
        self.texts = PathTexts(
            self.accessed, self.known_paths, made_up_texts, self.words.own
        )
        """Adds the texts that calls return."""

    def may_be_file(self, path: str) -> bool:
        """Return True unless it is known that a path is not a file."""
        return path in self.accessed or self.known_paths.files.may_be_file(path)
