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
from controlplane.agent.evidence.texts.encoded_results import EncodedResults
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import Effect, ToolSchema, bounds


class ServerResults:
    """Adds the results of one trial's calls of a server's tools, such as `wiki.search`."""

    def __init__(
        self, tool_schema: ToolSchema, workspace: SeenWorkspace, changes: TrialChanges
    ) -> None:
        self._workspace = workspace
        """The paths and texts that calls have seen."""
        self._changes = changes
        """What calls have changed so far."""
        self._encoded_results = EncodedResults(workspace.result_words)
        """Recognises results that may be a script's own text, decoded."""
        for text in _declarations_of_tools(tool_schema):
            self.add_known_text(text)

    def add_known_text(self, text: str) -> None:
        """Learn that scripts were given a text, such as the task, so they have not made it up.

        A script that sends words of it to a server hides no text of its own in them.
        """
        self._encoded_results.add_known_text(text)

    def add(self, call: ReturnedCall) -> None:
        """Add the result of a call as a text at its own path.

        If the tool may change something, such as `mail.send`, the call is added to the
        changes, too.
        """
        path = call.result.get("call_path")
        if not isinstance(path, str) or len(path) > bounds.MOST_PATH_CHARS:
            path = ""
        self._changes.add_action(call.declared, path)
        if path.startswith("/"):
            seen = self._seen_text(call)
            self._workspace.texts.add_returned_text(path, "read", seen)
            self._workspace.known_paths.learn_path(path)

    def _seen_text(self, call: ReturnedCall) -> SeenText:
        """Return the text of a result, with the words in it that are no proof."""
        text = call.shown_text().text
        server = call.declared.name.partition(".")[0]  # `wiki` of `wiki.search`
        may_be_decoded = self._encoded_results.learn_call(
            server, call.arguments.input_texts, text
        )
        unproven_words = text if may_be_decoded else echoable_words(call.arguments)
        # `lines` is empty: the result is not a file, so it has no lines of one.
        return SeenText(text, script_words=unproven_words, lines=())


def _declarations_of_tools(tool_schema: ToolSchema) -> list[str]:
    """Return the words that declare each tool: its name, summary and parameter names.

    A tool is an operation that is not about a file: it `RETURNS` a text, or `ACTS`.
    Example: `wiki.search Search all pages query limit`.
    """
    texts: list[str] = []
    for operation in tool_schema.operations:
        if operation.effect in (Effect.RETURNS, Effect.ACTS):
            names = [parameter.name for parameter in operation.parameters]
            texts.append(" ".join([operation.name, operation.summary, *names]))
    return texts
