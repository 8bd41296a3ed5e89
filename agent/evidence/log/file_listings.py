"""Adds calls that list folders or search in files to the evidence of a trial.

They show which files there are, and a search also shows lines of them:

    list("/docs")   -> {"entries": [{"path": "/docs/fees.md"}]}
    search("late")  -> {"matches": [{"path": "/docs/fees.md", "line": 4, "text": "late: 7 EUR"}]}

After the search, an answer may cite `/docs/fees.md` for line 4. After the listing alone, it may not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.agent.evidence.texts.search_results import found_lines
from controlplane.agent.evidence.texts.words import has_words
from controlplane.gates.paths import canonical
from controlplane.gates.trial.seen_text import SeenText
from controlplane.gates.trial.text_kind import TextKind
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class FileListings:
    """Adds the listings and searches of one trial."""

    known_paths: KnownPaths
    """Learns which files there are."""
    texts: PathTexts
    """Gets the found lines, each at the path of its file."""

    def add(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add a listing or a search. Return earlier paths that turn out to be aliases.

        `/fees.md`, which was read before, is one if only `/docs/fees.md` is listed.
        """
        folder = call.requested_path or "/"
        new_aliases = self.known_paths.learn_listing(folder, call.result)
        shows_lines = call.shown_chars != 0
        if shows_lines:  # The initial prompt may show none of them.
            self._add_found_lines(call.result)
        return new_aliases

    def _add_found_lines(self, result: Mapping[str, Plain]) -> None:
        """Add the lines in the result of a search, each as an excerpt of its file."""
        for found in found_lines(result):
            if has_words(found.text):
                excerpt = SeenText(
                    found.text, TextKind.EXCERPT, lines=found.line_numbers
                )
                self.texts.add_file_text(canonical(found.path), excerpt)
