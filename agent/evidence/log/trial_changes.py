"""What the calls of a trial have changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from controlplane.gates.trial.changes import Change
from controlplane.sandbox.interface import Effect, Operation


@dataclass(slots=True)
class TrialChanges:
    """The changes of one trial, in order."""

    made: list[Change] = field(default_factory=list)
    """What calls changed: files that they wrote, and tools that change something."""
    unclear_tools: dict[str, None] = field(default_factory=dict)
    """Tools that ran without declaring if they change anything. An ordered set: only keys count."""
    has_changing_calls: bool = False
    """True once a call was made that may change something.
    From then on, any file may contain text that a script wrote."""

    def add_unclear_tool(self, path: str) -> None:
        """Add a tool that does not declare if it changes anything."""
        self.unclear_tools[path] = None

    def add_action(self, declared: Operation, result_path: str) -> None:
        """Add a call that may change something other than a file.

        A call that only talks to the user changes nothing.
        """
        if declared.effect is Effect.RETURNS or declared.is_talk:
            return
        # It is not known if such an operation changes anything.
        may_only_read = declared.is_undeclared or declared.effect is Effect.UNDECLARED
        self.made.append(
            Change(declared.name, "execute", result_path, is_optional=may_only_read)
        )

    def at_cited_paths(self, path_to_cite: Callable[[str], str]) -> tuple[Change, ...]:
        """Return the changes, each at the path by which to cite it."""
        return tuple(
            replace(change, path=path_to_cite(change.path)) for change in self.made
        )
