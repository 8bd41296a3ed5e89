"""Adds calls of a server's tools, such as `wiki.search`, to the evidence of a trial.

These calls are not about a file. So each result has a path of its own, in its field `call_path`:

    wiki.search("late fees")  -> {"call_path": "/calls/search/4", "text": "late fees are 7 EUR"}

An answer may cite `/calls/search/4` for the 7 EUR. The words `late` and `fees` are *unproven*,
because the server may only repeat them. The gates (the rules for answers) take them as no proof.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.texts.own.unproven_words import UnprovenWords
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import Plain, bounds


@dataclass(frozen=True, slots=True)
class ServerResults:
    """Adds the results of one trial's calls of a server's tools."""

    known_paths: KnownPaths
    """Learns the paths of the results."""
    texts: PathTexts
    """Gets the results, each as a text at its own path."""
    unproven_words: UnprovenWords
    """Finds the words of a result that the script may have sent."""
    changes: TrialChanges
    """What calls have changed so far."""

    def add(self, call: ReturnedCall) -> None:
        """Add a call: its result as a text and, if it is one such as `mail.send`, a change."""
        path = _path_of_result(call.result)
        # A change may have no path. Then the answer has to report it all the same.
        self.changes.add_action(call.declared, path)
        if not path:
            return  # An answer cannot cite the result.

        text = call.shown_text().text
        # `of_next_call` also counts what was sent, as a later result may return it.
        unproven_words = self.unproven_words.of_next_call(call.arguments, text)
        no_lines = ()  # The text is not of a file, so its lines have no numbers.
        seen = SeenText(text, unproven_words=unproven_words, lines=no_lines)
        self.texts.add_returned_text(path, "read", seen)
        self.known_paths.learn_path(path)


def _path_of_result(result: Mapping[str, Plain]) -> str:
    """Return the path by which a result is cited; empty if it has none, or a very long one."""
    path = result.get("call_path")
    if not isinstance(path, str) or not path.startswith("/"):
        return ""
    return path if len(path) <= bounds.MOST_PATH_CHARS else ""
