"""What the calls of a trial have changed: files, and other things by tools.

The gates compare this with the answer: an answer that says "I have changed nothing" is
rejected after a write. For some tools it is not known if they change anything. An answer
may mention these as changes, but need not.

    write("/report.md", ...)   -> Change("/report.md", "write")
    mail.send(to="Ada")        -> Change("mail.send", "execute", "/calls/send/1")
    exec("/bin/sync")          -> the unclear tool /bin/sync, if it does not declare what it does
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from controlplane.gates.trial.changes import Change
from controlplane.sandbox.interface import Effect, ExecutableKind, Operation
from controlplane.sandbox.interface.call_effects import is_change_doubtful


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
