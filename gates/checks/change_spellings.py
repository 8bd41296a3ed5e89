"""Brings the names of changes into a common form, because a script may spell them freely.

    made              may be declared as
    `/a/7.json`       `/a/7.json`, `a/7.json`, `7.json`; `write`, the call that wrote it
    `mail.send`       `mail.send`, `send`
    `/bin/restart`    `/bin/restart`, `restart`, and `tools.restart` with any prefix

For the last case, the common form is `.restart`.
"""

from __future__ import annotations

from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import base_name
from controlplane.gates.trial.changes import Change


def names_of_made(change: Change) -> set[str]:
    """Return the names by which a change may be declared, in the common form."""
    name = base_name(change.path).casefold()
    names = {change.path, name}
    if change.result_path:  # the path at which the result of an operation can be cited
        names.add(change.result_path)
    is_operation = not change.path.startswith("/")
    if is_operation:
        names.add(name.rpartition(".")[2])
    if change.action != "execute":
        names.add(change.action)  # `write` or `delete`, the call that made it
    elif "." not in name:  # unlike `mail.send` and `restart.sh`
        names.add(f".{name}")
    return names - {""}


def names_of_declared(declared_name: str, evidence: Evidence) -> list[str]:
    """Return the names that a declared name may mean, in the common form.

    `orders/7.json` -> also `/orders/7.json`; `tools.restart` -> also `.restart`
    """
    if "/" in declared_name:
        path = declared_name if declared_name.startswith("/") else f"/{declared_name}"
        return [declared_name, evidence.find(path).path]
    name = declared_name.casefold()
    if "." not in name:
        return [name]
    last_part = name.rpartition(".")[2]
    return [name, f".{last_part}"]
