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
from controlplane.agent.evidence.paths.cited_paths import CitedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.paths.seen_texts import SeenTexts
from controlplane.agent.evidence.texts.own.known_words import KnownWords
from controlplane.agent.evidence.texts.own.own_words import OwnWords
from controlplane.agent.evidence.texts.own.result_words import ResultWords
from controlplane.sandbox.interface import ToolSchema


class SeenWorkspace:
    """The paths and texts that the calls of one trial have seen, in the parts that keep them.

    A read is added by `texts.add_file_text`. This looks up in `known_paths` if the trial wrote the
    file, marks the `own_words` of the text, and keeps it at its path in `accessed`.
    """

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int) -> None:
        """`most_text_bytes` is the most memory for kept texts; 0 stands for the usual amount."""
        # The paths
        self.known_paths = KnownPaths()
        """Which files exist, which of them are the trial's own, and which paths are aliases."""
        seen_texts = SeenTexts(most_text_bytes)  # Keeps each text once.
        self.accessed = AccessedPaths(seen_texts)
        """What calls did at each path, and which texts they saw there."""
        self.cited_paths = CitedPaths(self.accessed, self.known_paths)
        """The path by which each file is cited."""

        # The words that a script may have made up
        result_words = ResultWords(seen_texts.texts)
        self.known_words = KnownWords(tool_schema, result_words)
        """The words that scripts were given, by the task or by a result. They are not made up."""
        self.own_words = OwnWords(result_words)
        """The words that scripts used before any result had them. They prove nothing."""

        # What adds a text to all of these
        self.texts = PathTexts(self.accessed, self.known_paths, self.own_words)
        """Decides what each text proves that a call has seen, and adds it to its path."""
