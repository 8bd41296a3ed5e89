"""What a trial has seen of its workspace: paths, and the texts at them.

An answer may only state what the trial has read. A script could cheat: it writes `fee: 7` to a
file, and reads it back. So each path that the trial wrote is its *own*, and a text that is read
there proves nothing:

| call | an answer may cite the path as | the text is proof |
|---|---|---|
| `read("/docs/fees.md")` | read | yes |
| `write("/note.md", "fee: 7")` | written | no: the path is own now |
| `read("/note.md")` | written | no |
| `delete("/old.md")` | deleted | there is none |
"""

from __future__ import annotations

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.changed_files import ChangedFiles
from controlplane.agent.evidence.paths.cited_paths import CitedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.paths.seen_texts import SeenTexts
from controlplane.agent.evidence.texts.own.trial_words import TrialWords
from controlplane.sandbox.interface import ToolSchema


class SeenWorkspace:
    """The paths and texts that the calls of one trial have seen, in the parts that keep them."""

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int) -> None:
        """`most_text_bytes` is the most memory for kept texts; 0 stands for the usual amount."""
        seen_texts = SeenTexts(most_text_bytes)  # Keeps each text once.
        self.words = TrialWords(tool_schema, seen_texts.texts)
        """Which words of a text may be a script's own."""
        self.known_paths = KnownPaths()
        """Which files exist, which of them are the trial's own, and which paths are aliases."""
        self.accessed = AccessedPaths(seen_texts)
        """What calls did at each path, and which texts they saw there."""
        self.cited_paths = CitedPaths(self.accessed, self.known_paths)
        """The path by which each file is cited."""

        # What calls add to these parts
        self.changed_files = ChangedFiles(self.accessed, self.known_paths)
        """Adds the files that calls write, delete and move."""
        self.texts = PathTexts(
            self.accessed,
            self.changed_files,
            self.known_paths.short_paths,
            self.words.own,
        )
        """Adds the texts that calls return."""
