"""The changes that the calls of a trial made, found by the names that a script gives them.

A script may spell a name freely:

    the calls changed   the script may declare
    `/a/7.json`         `/a/7.json`, `a/7.json`, `7.json`, or `write`, the call that wrote it
    `mail.send`         `mail.send` or `send`
    `/bin/restart`      `/bin/restart`, `restart`, or `tools.restart` with any prefix
"""

from __future__ import annotations

from controlplane.gates.checks.declared_change import DeclaredChange
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import base_name
from controlplane.gates.trial.changes import Change


class MadeChanges:
    """The changes that the calls of one trial made, found by the names that a script gives them.

    A script declares what it changed, and may spell it freely: `/a/7.json`, `7.json`, or
    `write`, the call that wrote it. What was changed is known from the trial's calls (`Evidence`).
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.all = list(evidence.changes)
        """All changes, and the runs of tools that may have changed something.

        Such a run is optional: a script may declare it, but need not.
        """
        for tool in evidence.unclear_tools:
            self.all.append(Change(tool, "execute", is_optional=True))

        self._by_name: dict[str, list[Change]] = {}
        """The changes by each of their names (see `_names_of`); `send` may name several."""
        for change in self.all:
            for name in _names_of(change):
                self._by_name.setdefault(name, []).append(change)

    def named_by(self, declared: DeclaredChange) -> list[Change]:
        """Return the changes that a declared one may mean; empty if no such change was made."""
        changes: list[Change] = []
        for name in self._names_meant_by(declared.name):
            for change in self._by_name.get(name, ()):
                if declared.action in ("", change.action):
                    changes.append(change)
        return changes

    def _names_meant_by(self, declared_name: str) -> list[str]:
        """Return the names of changes, as in `_by_name`, that a declared name may mean.

        | the script declares | the change may have the name                    |
        | ------------------- | ----------------------------------------------- |
        | `a/7.json`          | `a/7.json`, or the known path `/a/7.json`       |
        | `7.JSON`            | `7.json`: without a slash, case does not matter |
        | `tools.restart`     | `tools.restart`, or `*.restart`                 |
        """
        if "/" in declared_name:
            path = declared_name
            if not path.startswith("/"):
                path = f"/{path}"
            # The script may spell a path otherwise than the calls did.
            known_path = self._evidence.find(path).path
            return [declared_name, known_path]

        name = declared_name.casefold()
        _prefix, dot, last_name = name.rpartition(".")
        if dot:
            return [name, f"*.{last_name}"]
        return [name]

    def to_declare(self) -> list[Change]:
        """Return the changes that a script must declare: those that surely happened, and still hold.

        A file that was written and deleted again is not one of them.
        """
        return [
            change
            for change in self.all
            if not change.is_optional and not self._evidence.is_undone(change)
        ]


def _names_of(change: Change) -> set[str]:
    """Return the names by which a change may be declared.

    `/a/7.JSON`, written      -> `/a/7.JSON`, `7.json`, `write`
    `mail.send`, executed     -> `mail.send`, `send`
    `/bin/restart`, executed  -> `/bin/restart`, `restart`, `*.restart`: with any prefix

    Paths are as the calls spelled them. Names without a slash are in lower case.
    """
    name = base_name(change.path).casefold()
    names = {change.path, name}
    if change.result_path:  # the path at which the result of an operation can be cited
        names.add(change.result_path)
    is_operation = not change.path.startswith("/")
    if is_operation:
        names.add(name.rpartition(".")[2])  # `send` of `mail.send`
    if change.action == "execute":
        # A name with a dot of its own, such as `mail.send` or `restart.sh`, takes no prefix.
        if "." not in name:
            names.add(f"*.{name}")
    else:
        names.add(change.action)  # `write` or `delete`, the call that made it
    return names - {""}
