"""Returns the names that a change may have, because a script may spell them freely.

    made              may be declared as
    `/a/7.json`       `/a/7.json`, `a/7.json`, `7.json`; `write`, the call that wrote it
    `mail.send`       `mail.send`, `send`
    `/bin/restart`    `/bin/restart`, `restart`, and `tools.restart` with any prefix

A change is declared if it has one of the names that the declaration may mean.
"""

from __future__ import annotations

from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import base_name
from controlplane.gates.trial.changes import Change


def names_of_made(change: Change) -> set[str]:
    """Return the names by which a change may be declared."""
    name = base_name(change.path).casefold()
    names = {change.path, name}
    if change.result_path:  # the path at which the result of an operation can be cited
        names.add(change.result_path)
    is_operation = not change.path.startswith("/")
    if is_operation:
        names.add(_last_part(name))
    if change.action != "execute":
        names.add(change.action)  # `write` or `delete`, the call that made it
    elif (
        "." not in name
    ):  # a tool such as `restart`, unlike `mail.send` and `restart.sh`
        names.add(_behind_any_prefix(name))
    return names - {""}


def names_of_declared(declared_name: str, evidence: Evidence) -> list[str]:
    """Return the names of made changes that a declared name may mean.

    `orders/7.json` -> also `/orders/7.json`; `tools.restart` -> also `restart` with any prefix
    """
    if "/" in declared_name:
        path = declared_name if declared_name.startswith("/") else f"/{declared_name}"
        return [declared_name, evidence.find(path).path]
    name = declared_name.casefold()
    if "." not in name:
        return [name]
    return [name, _behind_any_prefix(_last_part(name))]


def _last_part(dotted_name: str) -> str:
    """Return the name without its prefix: `mail.send` -> `send`."""
    return dotted_name.rpartition(".")[2]


def _behind_any_prefix(name: str) -> str:
    """Return the one name that stands for a name with any prefix.

    `.restart` stands for `tools.restart`, `bin.restart` and so on.
    """
    return f".{name}"
