"""The changes that the calls of a trial made, found by the names that a script gives them.

A script may spell a name freely:

    the calls changed   the script may declare
    `/a/7.json`         `/a/7.json`, `a/7.json`, `7.json`, or `write`, the call that wrote it
    `mail.send`         `mail.send` or `send`
    `/bin/restart`      `/bin/restart`, `restart`, or `tools.restart` with any prefix
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.gates.checks.declared_change import DeclaredChange
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import base_name
from controlplane.gates.trial.changes import Change


class MadeChanges:
    """The changes that the calls of one trial made, found by the names that a script gives them.

    A script declares what it changed, and may spell it freely: `/a/7.json`, `7.json`, or
    `write`, the call that wrote it. The changes are known from the record of the trial's calls.

    | the script declares | the changes at these keys are meant                             |
    | ------------------- | --------------------------------------------------------------- |
    | `a/7.json`          | `a/7.json`, and the known path `/a/7.json`                      |
    | `7.JSON`            | `7.json`: without a slash, case does not matter                 |
    | `tools.restart`     | `tools.restart`, and with any prefix `restart`, a tool that ran |
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.all = list(evidence.changes)
        """All changes, and the runs of tools that may have changed something.

        Such a run is optional: a script may declare it, but need not.
        """
        for tool in evidence.unclear_runs:
            self.all.append(Change(tool, "execute", is_optional=True))

        self._by_name: dict[str, list[Change]] = {}
        """By each name that may mean them. `send` may mean several."""
        self._with_any_prefix: dict[str, list[Change]] = {}
        """Runs of tools that a script may declare with any prefix: `restart` as `tools.restart`."""
        for change in self.all:
            for name in _names_of(change):
                self._by_name.setdefault(name, []).append(change)
            tool_name = base_name(change.path).casefold()
            # The name of another tool, such as `mail.send` or `restart.sh`, has a dot itself.
            if change.action == "execute" and "." not in tool_name:
                self._with_any_prefix.setdefault(tool_name, []).append(change)

    def named_by(self, declared: DeclaredChange) -> list[Change]:
        """Return the changes that a declared one may mean; empty if no such change was made."""
        return [
            change
            for change in self._with_name(declared.name)
            if declared.action in ("", change.action)
        ]

    def _with_name(self, declared_name: str) -> Iterable[Change]:
        """Return the changes that a declared name may mean, whatever was done to them."""
        if "/" in declared_name:
            path = declared_name
            if not path.startswith("/"):
                path = f"/{path}"
            # The script may spell a path otherwise than the calls did.
            known_path = self._evidence.find(path).path
            return [
                *self._by_name.get(declared_name, ()),
                *self._by_name.get(known_path, ()),
            ]

        name = declared_name.casefold()
        changes = self._by_name.get(name, [])
        _prefix, dot, tool_name = name.rpartition(".")
        if dot:  # `tools.restart`
            return [*changes, *self._with_any_prefix.get(tool_name, ())]
        return changes

    def to_declare(self) -> list[Change]:
        """Return the changes that surely happened, and that no later change undid."""
        return [
            change
            for change in self.all
            if not change.is_optional and not self._evidence.is_undone(change)
        ]


def _names_of(change: Change) -> set[str]:
    """Return the names by which a change may be declared.

    `/a/7.JSON`, written   -> `/a/7.JSON`, `7.json`, `write`
    `mail.send`, executed  -> `mail.send`, `send`

    Paths are as the calls spelled them. Names without a slash are in lower case.
    """
    name = base_name(change.path).casefold()
    names = {change.path, name}
    if change.result_path:  # the path at which the result of an operation can be cited
        names.add(change.result_path)
    is_operation = not change.path.startswith("/")
    if is_operation:
        names.add(name.rpartition(".")[2])  # `send` of `mail.send`
    if change.action != "execute":
        names.add(change.action)  # `write` or `delete`, the call that made it
    return names - {""}
