"""Adds calls of a server's tools, such as `wiki.search`, to the evidence of a trial.

These calls are not about a file. So each result has a path of its own, in its field `call_path`:

    wiki.search("late fees")  -> {"call_path": "/calls/search/4", "text": "late fees are 7 EUR"}

An answer may cite `/calls/search/4` for the 7 EUR. The words `late` and `fees` are *unproven*,
because the server may only repeat them. The gates (the rules for answers) take them as no proof.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.texts.own import UnprovenWords
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.gates.trial import Change, SeenText
from controlplane.sandbox.interface import (
    Effect,
    ExecutableKind,
    Operation,
    Plain,
    bounds,
)
from controlplane.sandbox.interface.tool_schema import is_change_doubtful

# What the calls of a trial have changed: files, and other things by tools.
#
# The gates compare this with the answer: an answer that says "I have changed nothing" is
# rejected after a write. For some tools it is not known if they change anything. An answer
# may mention these as changes, but need not.
#
#     write("/report.md", ...)   -> Change("/report.md", "write")
#     mail.send(to="Ada")        -> Change("mail.send", "execute", "/calls/send/1")
#     exec("/bin/sync")          -> the unclear tool /bin/sync, if it does not declare what it does


@dataclass(slots=True)
class TrialChanges:
    """The changes of one trial, in order."""

    made: list[Change] = field(default_factory=list)
    """The changes by calls: files that they wrote or deleted, and actions of tools."""
    unclear_tools: dict[str, None] = field(default_factory=dict)
    """Programs that ran, such as `/bin/sync`, without a declaration that says if they change
    anything. They are keys, in order, so that each is kept once. A trial may run thousands."""
    has_changing_calls: bool = False
    """True once a call was made that may change something.
    From then on, any file may contain text that a script wrote."""

    def add_run(self, path: str, kind: ExecutableKind) -> None:
        """Add a run of a program, such as `/bin/sync`, that does not only read.

        `kind` says if it changes something, or if this is not declared.
        """
        if kind is ExecutableKind.CHANGES:
            self.made.append(Change(path, "execute"))
        else:
            self.unclear_tools[path] = None

    def add_action(self, declared: Operation, result_path: str) -> None:
        """Add a call of a server's tool, such as `mail.send`, as a change.

        Its result can be cited at `result_path`. A tool that only reads, such as `wiki.search`, or
        that asks the user, changes nothing.
        """
        if declared.effect is Effect.RETURNS or declared.is_talk:
            return
        is_optional = is_change_doubtful(declared)  # It does not declare what it does.
        change = Change(declared.name, "execute", result_path, is_optional=is_optional)
        self.made.append(change)

    def at_cited_paths(self, path_to_cite: Callable[[str], str]) -> tuple[Change, ...]:
        """Return the changes, each at the path by which an answer cites the file."""
        changes: list[Change] = []
        for change in self.made:
            changes.append(replace(change, path=path_to_cite(change.path)))
        return tuple(changes)


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
