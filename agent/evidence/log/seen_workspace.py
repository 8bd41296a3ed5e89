"""What a trial has seen of its workspace: paths, and the texts at them."""

from __future__ import annotations

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.cited_paths import CitedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.paths.seen_texts import SeenTexts
from controlplane.agent.evidence.texts.encoded_results import EncodedResults
from controlplane.agent.evidence.texts.own_words import OwnWords
from controlplane.agent.evidence.texts.result_words import ResultWords
from controlplane.sandbox.interface import Effect, ToolSchema


class SeenWorkspace:
    """The paths and texts that the calls of one trial have seen."""

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int) -> None:
        """`most_text_bytes` is the most memory for kept texts; 0 stands for the usual amount."""
        seen_texts = SeenTexts(most_text_bytes)
        self.known_paths = KnownPaths()
        """Which files exist, which of them the trial wrote, and which paths are aliases."""
        self.accessed = AccessedPaths(seen_texts)
        """What calls did at each path."""
        self.cited_paths = CitedPaths(self.accessed, self.known_paths)
        """The path by which each file is cited."""

        result_words = ResultWords(seen_texts.texts)
        self.own_words = OwnWords(result_words)
        """The words that only scripts have used."""
        self.encoded_results = EncodedResults(result_words)
        """Recognises results that may be a script's own text in encoded form."""
        for text in _declared_texts(tool_schema):
            self.encoded_results.add_known_text(text)
        self.texts = PathTexts(self.accessed, self.known_paths, self.own_words)
        """Adds the texts that calls see."""


def _declared_texts(tool_schema: ToolSchema) -> list[str]:
    """Return the name, summary and parameter names of each operation whose results have own paths.

    The declarations show these words to scripts,
    so a script that uses them in a call hides nothing.
    """
    texts: list[str] = []
    for operation in tool_schema.operations:
        if operation.effect in (Effect.RETURNS, Effect.ACTS):
            names = [parameter.name for parameter in operation.parameters]
            texts.append(" ".join([operation.name, operation.summary, *names]))
    return texts
