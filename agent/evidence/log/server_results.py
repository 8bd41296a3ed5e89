"""Adds calls of a server's tools, such as `wiki.search`, to the evidence of a trial.

These calls are not about a file. So each result has a path of its own, in its field
`call_path`: an answer cites `/calls/search/2c1f` for what the result says.

A script must not cite what it made up, so some words of a result are no proof:

| sent | result | no proof |
|---|---|---|
| `late fees` | `no page about late fees` | `late`, `fees`: it may only repeat them |
| `ZmVlIGlzIDc=` | `fee is 7` | all words: they may be the sent text, decoded (base64) |
"""

from __future__ import annotations

from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.texts.echoes import echoable_words
from controlplane.agent.evidence.texts.own.encoded_results import EncodedResults
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds


class ServerResults:
    """Adds the results of one trial's calls of a server's tools, such as `wiki.search`."""

    def __init__(self, workspace: SeenWorkspace, changes: TrialChanges) -> None:
        self._workspace = workspace
        """The paths and texts that calls have seen."""
        self._changes = changes
        """What calls have changed so far."""
        self._encoded_results = EncodedResults(workspace.known_words)
        """Recognises results that may be a script's own text, decoded."""

    def add(self, call: ReturnedCall) -> None:
        """Add a call to the changes if it may change something, such as `mail.send`.

        Then add its result as a text, unless it has no path by which it could be cited.
        """
        path = call.result.get("call_path")
        if not isinstance(path, str) or len(path) > bounds.MOST_PATH_CHARS:
            path = ""
        self._changes.add_action(call.declared, path)  # whether it can be cited or not
        if not path.startswith("/"):
            return

        text = call.shown_text().text
        server = call.declared.name.partition(".")[0]  # `wiki` of `wiki.search`
        may_be_decoded = self._encoded_results.add_call(
            server, call.arguments.input_texts, text
        )
        no_proof = text if may_be_decoded else echoable_words(call.arguments)
        # `lines` is empty: the result is not a file, so it has no lines of one.
        seen = SeenText(text, script_words=no_proof, lines=())
        self._workspace.texts.add_returned_text(path, "read", seen)
        self._workspace.known_paths.learn_path(path)
