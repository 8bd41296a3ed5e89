"""Records calls that are not about a file, such as those of an MCP server's tools.

The result of such a call is citable at the path in its field `call_path`:
`/calls/search/2c1f`.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.agent.evidence.texts.encoded_results import EncodedResults
from controlplane.gates.trial.accesses import SeenText
from controlplane.sandbox.interface import bounds


@dataclass(frozen=True, slots=True)
class ServerResults:
    """Records the results of one trial's calls of tools."""

    known_paths: KnownPaths
    texts: PathTexts
    changes: TrialChanges
    encoded_results: EncodedResults
    """Recognises results that may be a script's own text in encoded form."""

    def add(self, call: ReturnedCall) -> None:
        """Record a call, and its result at its own path."""
        path = call.result.get("call_path")
        if not isinstance(path, str) or len(path) > bounds.MOST_PATH_CHARS:
            path = ""
        self.changes.add_action(call.declared, path)
        if path.startswith("/"):
            self._add_text(path, call)

    def _add_text(self, path: str, call: ReturnedCall) -> None:
        """Add the text of a result at its path."""
        text = call.shown_text().text
        tainted = call.arguments.repeatable_text
        server = call.declared.name.partition(".")[0]  # `wiki` of `wiki.search`
        if self.encoded_results.learn_call(server, call.arguments.given_texts(), text):
            tainted = text  # All of it may be the script's own text.
        self.texts.add(path, "read", SeenText(text, tainted=tainted, lines=()))
        self.known_paths.listings.paths.add(path)
