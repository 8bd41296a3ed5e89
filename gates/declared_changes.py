"""Compares the changes that a submission declares with those that its calls made.

A script may declare `changes = ["/orders/7.json", "mail.send"]`. Different forms of a
name count as equal: `send` and `harness.mail.send()` are the same call, and
`/bin/restart` may be called `restart`. Gate 6 rejects a declared change that no call
made, and a change that was made but not declared.

A change that was undone later, such as a file that was written and deleted, may be left
out. So may a run of a tool that does not say whether it changes anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import base_name
from controlplane.gates.submission import Plain, describe, quote, quote_some
from controlplane.gates.trial.changes import Change
from controlplane.sandbox.interface import bounds

ACTIONS: Final = ("write", "delete", "execute")
ENTRY_KEYS: Final = ("path", "tool", "operation", "name")
"""The keys under which an entry may name its change: `{"path": "/a.md"}`.

If an entry has several, the first one in this order counts.
"""
SHOWN_CHANGES: Final = 4
SHOWN_NAME_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class DeclaredChange:
    """An entry of `changes`: `"/orders/7.json"`, or with an action.

    `{"path": "/orders/7.json", "action": "write"}`
    """

    name: str
    """Empty if the entry names nothing."""
    action: str = ""
    """Empty if the entry names no action."""


def faults_of_changes(changes: Plain, evidence: Evidence) -> list[str]:
    """Return the faults of `changes`. A submission may omit it."""
    if changes is None:
        return []
    if not isinstance(changes, list) or len(changes) > bounds.MOST_DECLARED:
        return [
            f"`changes` is {describe(changes)}: list at most {bounds.MOST_DECLARED} paths, tools "
            "and operations."
        ]
    faults: list[str] = []
    declared_changes: list[DeclaredChange] = []
    for entry in changes:
        declared = _declared_change(entry)
        if declared.name:
            declared_changes.append(declared)
        else:
            faults.append(
                f"`changes` holds {describe(entry)}, which names nothing: list paths, tools and "
                "operations as strings."
            )
    if evidence.has_trace:  # the calls of the trial are known
        faults += _faults_against_trace(declared_changes, evidence)
    return faults


def _declared_change(entry: Plain) -> DeclaredChange:
    """Read an entry of `changes`: a string, or an object that names a path, tool or operation."""
    name: Plain = entry
    action: Plain = None
    if isinstance(entry, dict):
        name = None
        for key in ENTRY_KEYS:
            if entry.get(key):
                name = entry[key]
                break
        action = entry.get("action")
    if not isinstance(name, str):
        return DeclaredChange("")
    # `harness.mail.send()` -> `mail.send`
    plain_name = name.strip().removeprefix("harness.").removesuffix("()")
    known_action = action if isinstance(action, str) and action in ACTIONS else ""
    return DeclaredChange(plain_name, known_action)


def _faults_against_trace(
    declared_changes: list[DeclaredChange], evidence: Evidence
) -> list[str]:
    """Return at most two faults: declared changes not made, and made ones not declared.

    The last fault also says what to declare.
    """
    made_changes = _made_changes(evidence)
    unmade = _unmade(declared_changes, made_changes, evidence)
    required = [made for made in made_changes if made.is_required(evidence)]
    missing = [made.change for made in required if not made.is_declared]

    entries = change_entries([made.change for made in required])
    advice = f"By the trace, `changes` = {entries}."
    faults: list[str] = []
    if unmade:
        faults.append(
            f"`changes` names {quote_some(unmade)}: the trace shows no such change."
        )
    if missing:
        faults.append(f"`changes` leaves out {change_names(missing)}.")
    if faults:
        faults[-1] += f" {advice}"
    return faults


@dataclass(eq=False, slots=True)
class _MadeChange:
    """A change that the trace shows, and whether an entry of `changes` names it."""

    change: Change
    is_declared: bool = False

    def is_required(self, evidence: Evidence) -> bool:
        """Return True if the change must be declared: it surely happened, and still holds."""
        return not self.change.is_optional and not evidence.is_undone(self.change)


def _made_changes(evidence: Evidence) -> list[_MadeChange]:
    """Return the changes of the trace, and the runs of tools that may have changed something."""
    changes = list(evidence.changes)
    for tool in evidence.unclear_runs:
        changes.append(Change(tool, "execute", is_optional=True))
    return [_MadeChange(change) for change in changes]


def _unmade(
    declared_changes: Iterable[DeclaredChange],
    made_changes: Iterable[_MadeChange],
    evidence: Evidence,
) -> list[str]:
    """Mark the made changes that are declared, and return the declared names without one.

    A name such as `send` may mean several changes.
    """
    by_name: dict[str, list[_MadeChange]] = {}
    for made in made_changes:
        for name in _names_of_made(made.change):
            by_name.setdefault(name, []).append(made)

    unmade: list[str] = []
    for declared in declared_changes:
        named: list[_MadeChange] = []
        for name in _names_of_declared(declared.name, evidence):
            for made in by_name.get(name, ()):
                if _has_declared_action(made.change, declared):
                    named.append(made)
        for made in named:
            made.is_declared = True
        if not named:
            unmade.append(declared.name)
    return unmade


def _has_declared_action(change: Change, declared: DeclaredChange) -> bool:
    return declared.action == "" or declared.action == change.action


# Which names mean the same change
#
#     made              may be declared as
#     `/a/7.json`       `/a/7.json`, `a/7.json`, `7.json`; `write`, the call that wrote it
#     `mail.send`       `mail.send`, `send`
#     `/bin/restart`    `/bin/restart`, `restart`, and `tools.restart` with any prefix
#
# The two functions below bring both sides into a common form. For the last case, this
# form is `.restart`.


def _names_of_made(change: Change) -> set[str]:
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


def _names_of_declared(declared_name: str, evidence: Evidence) -> list[str]:
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


def change_names(changes: Sequence[Change]) -> str:
    """Return the first changes in words: "write of `/a.md`, delete of `/b.md` and 2 more"."""
    names = [
        f"{change.action} of {quote(change.path)}" for change in changes[:SHOWN_CHANGES]
    ]
    text = ", ".join(names)
    if len(changes) > SHOWN_CHANGES:
        text += f" and {len(changes) - SHOWN_CHANGES} more"
    return text


def change_entries(changes: Sequence[Change]) -> str:
    """Return changes as a script would declare them: `["/a.md", "mail.send"]`."""
    names = list(dict.fromkeys(change.path[:SHOWN_NAME_CHARS] for change in changes))
    has_control_characters = not all(name.isprintable() for name in names)
    text = json.dumps(names[: bounds.SHOWN_NAMES], ensure_ascii=has_control_characters)
    if len(names) > bounds.SHOWN_NAMES:
        text += f" and {len(names) - bounds.SHOWN_NAMES} more"
    return text
