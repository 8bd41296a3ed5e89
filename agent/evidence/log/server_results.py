"""Adds calls of a server's tools, such as `wiki.search`, to the evidence of a trial.

These calls are not about a file. So each result has a path of its own, in its field
`call_path`: an answer cites `/calls/search/2c1f` for what the result says. What it proves:

| the script sends | the result | what is no proof |
|---|---|---|
| `late fees` | `no page about late fees` | the words `late fees`: they may be an echo |
| `ZmVlIGlzIDc=` | `fee is 7` | any word: the server may have decoded what was sent |
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
        """Add the result of a call as a text at its own path.

        If the tool may change something, such as `mail.send`, the call is added to the
        changes, too.
        """
        path = call.result.get("call_path")
        if not isinstance(path, str) or len(path) > bounds.MOST_PATH_CHARS:
            path = ""
        self.changes.add_action(call.declared, path)
        if path.startswith("/"):
            self.workspace.texts.add_returned_text(path, "read", self._seen_text(call))
            self.workspace.known_paths.learn_path(path)

    def _seen_text(self, call: ReturnedCall) -> SeenText:
        """Return the text of a result, with the words in it that may be the script's."""
        text = call.shown_text().text
        server = call.declared.name.partition(".")[0]  # `wiki` of `wiki.search`
        # This also remembers what was sent: a later result may be this text.
        may_be_decoded_input = self.workspace.encoded_results.learn_call(
            server, call.arguments.input_texts, text
        )
        if may_be_decoded_input:
            script_words = text  # all of its words
        else:
            script_words = call.arguments.script_words  # those that may be an echo
        # The result is not a file, so it has no lines of one.
        return SeenText(text, script_words=script_words, lines=())
