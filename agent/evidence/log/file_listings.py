"""Adds calls that list folders or search in files to the evidence of a trial.

They show which files there are, and a search also shows lines of them:

    list("/docs")   -> {"entries": [{"path": "/docs/fees.md"}]}
    search("late")  -> {"matches": [{"path": "/docs/fees.md", "line": 4, "text": "late: 7 EUR"}]}

After the search, an answer may cite `/docs/fees.md` for line 4. After the listing alone, it may not.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.agent.evidence.texts.search_results import found_lines
from controlplane.agent.evidence.texts.words import has_words
from controlplane.gates.paths import canonical
from controlplane.gates.trial.seen_text import SeenText


@dataclass(frozen=True, slots=True)
class FileListings:
    """Adds the listings and searches of one trial."""

    workspace: SeenWorkspace
    """The paths and texts that calls have seen."""

    def add(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add a listing or a search.

        Return the paths that were read earlier, and are now known to be aliases of a listed
        file: `/fees.md`, if only `/docs/fees.md` is listed.
        """
        folder = call.requested_path or "/"
        new_aliases = self.workspace.known_paths.learn_listing(folder, call.result)
        if call.shown_chars == 0:
            return new_aliases  # The initial prompt shows none of the lines.
        for found in found_lines(call.result):
            if has_words(found.text):
                self.workspace.texts.add_file_text(
                    canonical(found.path),
                    SeenText(found.text, is_excerpt=True, lines=found.line_numbers),
                )
        return new_aliases
