"""Adds calls of a server's tools, such as `wiki.search`, to the evidence of a trial.

These calls are not about a file. So each result has a path of its own, in its field
`call_path`: an answer cites `/calls/search/2c1f` for what the result says.

A script must not cite what it made up, so some words of a result are no proof:

| sent | result | no proof |
|---|---|---|
| `ZmVlIGlzIDc=` | `fee is 7` | all words: they may be the sent text, decoded (base64) |
| `late fees` | `no page about late fees` | `late`, `fees`: it may only repeat them |
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.texts.echoes import echoable_words
from controlplane.agent.evidence.texts.own.encoded_results import EncodedResults
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import Plain, bounds


class ServerResults:
    """Adds the results of one trial's calls of a server's tools, such as `wiki.search`."""

    def __init__(self, workspace: SeenWorkspace, changes: TrialChanges) -> None:
        self._workspace = workspace
        """The paths and texts that calls have seen."""
        self._changes = changes
        """What calls have changed so far."""
        self._encoded_results = EncodedResults(workspace.words.given)
        """Recognises results that may be a script's own text, decoded."""

    def add(self, call: ReturnedCall) -> None:
        """Add the change that a call such as `mail.send` makes, and its result as a text."""
        path = _path_of_result(call.result)
        self._changes.add_action(call.declared, path)
        if not path:
            return  # An answer cannot cite the result.

        text = call.shown_text().text
        server = call.declared.name.partition(".")[0]  # `wiki` of `wiki.search`
        may_be_decoded = self._encoded_results.add_call(
            server, call.arguments.input_texts, text
        )
        if may_be_decoded:
            unproven_words = text
        else:
            unproven_words = echoable_words(call.arguments)
        # `lines` is empty, because the text has no line numbers of a file.
        seen = SeenText(text, script_words=unproven_words, lines=())
        self._workspace.texts.add_returned_text(path, "read", seen)
        self._workspace.known_paths.learn_path(path)


def _path_of_result(result: Mapping[str, Plain]) -> str:
    """Return the path by which a result is cited; empty if it has none, or a very long one."""
    path = result.get("call_path")
    if not isinstance(path, str) or not path.startswith("/"):
        return ""
    return path if len(path) <= bounds.MOST_PATH_CHARS else ""
