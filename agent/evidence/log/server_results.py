"""Adds calls of a server's tools, such as `wiki.search`, to the evidence of a trial.

These calls are not about a file. So each result has a path of its own, in its field
`call_path`: an answer cites `/calls/search/2c1f` for what the result says.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds


@dataclass(frozen=True, slots=True)
class ServerResults:
    """Adds the results of one trial's calls of a server's tools, such as `wiki.search`."""

    workspace: SeenWorkspace
    """The paths and texts that calls have seen."""
    changes: TrialChanges
    """What calls have changed so far."""

    def add(self, call: ReturnedCall) -> None:
        """Add a call as a change, if it may be one, and its result as a text at its own path."""
        path = call.result.get("call_path")
        if not isinstance(path, str) or len(path) > bounds.MOST_PATH_CHARS:
            path = ""
        self.changes.add_action(call.declared, path)
        if path.startswith("/"):
            self._add_text(path, call)

    def _add_text(self, path: str, call: ReturnedCall) -> None:
        """Add the text of a result at its path.

        The text does not prove words that the script sent with the call (`script_words`): the
        server may only repeat them. If all of it may be what scripts have sent, in another
        encoding, it proves nothing.
        """
        text = call.shown_text().text
        server = call.declared.name.partition(".")[0]  # `wiki` of `wiki.search`
        may_be_encoded_input = self.workspace.encoded_results.learn_call(
            server, call.arguments.input_texts, text
        )
        script_words = call.arguments.script_words
        if may_be_encoded_input:
            script_words = text  # all of its words
        # The result is not a file, so it has no lines of one.
        seen = SeenText(text, script_words=script_words, lines=())
        self.workspace.texts.add_returned_text(path, "read", seen)
        self.workspace.known_paths.listings.paths.add(path)
