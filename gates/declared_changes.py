"""Compares the changes that a submission declares with those that its calls made.

A script may declare `changes = ["/orders/7.json", "mail.send"]`. Different forms of a name count as
equal: `send` and `harness.mail.send()` are the same call, and `/bin/restart` may be called
`restart`. Gate 6 rejects a declared change that no call made, and a change that was made but not
declared.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.gates.evidence import Change, Evidence, base_name
from controlplane.gates.submission import Plain, describe, quote, quote_some
from controlplane.sandbox.interface import bounds

ACTIONS: Final = ("write", "delete", "execute")
ENTRY_KEYS: Final = ("path", "tool", "operation", "name")
"""The keys of an entry that is an object. The first one with a value names the change."""
SHOWN_CHANGES: Final = 4
SHOWN_NAME_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class DeclaredChange:
    """An entry of `changes`: `"/orders/7.json"`, or
    `{"path": "/orders/7.json", "action": "write"}`."""

    name: str
    """Empty if the entry names nothing."""
    action: str = ""
    """Empty if the entry names no action."""


def faults_of_changes(changes: Plain, evidence: Evidence) -> list[str]:
    """Return the faults of `changes`. A submission may omit it.

    If it is given, it must name every change that was not undone. Naming an undone change is
    optional, and so is naming a call that may or may not have changed something.
    """
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
    if evidence.has_trace:
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
    plain_name = name.strip().removeprefix("harness.").removesuffix("()")
    known_action = action if isinstance(action, str) and action in ACTIONS else ""
    return DeclaredChange(plain_name, known_action)


def _faults_against_trace(declared_changes: list[DeclaredChange], evidence: Evidence) -> list[str]:
    """Return the faults of declared changes that no call made, and of changes that are missing."""
    made_changes = list(evidence.changes)
    for tool in evidence.unclear_runs:  # the tool may or may not have changed something
        made_changes.append(Change(tool, "execute", is_optional=True))

    # 1. Find the changes that each declared name may mean, by their indexes in `made_changes`.
    indexes_by_name = _indexes_by_name(made_changes)
    declared_indexes: set[int] = set()
    names_of_no_change: list[str] = []
    for declared in declared_changes:
        meant_indexes: set[int] = set()
        for name in _names_of_declared(declared.name, evidence):
            for index in indexes_by_name.get(name, ()):
                if declared.action in ("", made_changes[index].action):
                    meant_indexes.add(index)
        if not meant_indexes:
            names_of_no_change.append(declared.name)
        declared_indexes |= meant_indexes

    # 2. Find the changes that must be declared.
    required: list[Change] = []
    missing: list[Change] = []
    for index, change in enumerate(made_changes):
        if change.is_optional or evidence.is_undone(change):
            continue
        required.append(change)
        if index not in declared_indexes:
            missing.append(change)

    # 3. Report at most two faults. The last one also says what to declare.
    faults: list[str] = []
    if names_of_no_change:
        shown = quote_some(names_of_no_change)
        faults.append(f"`changes` names {shown}: the trace shows no such change.")
    if missing:
        faults.append(f"`changes` leaves out {change_names(missing)}.")
    if faults:
        last_fault = faults.pop()
        faults.append(f"{last_fault} By the trace, `changes` = {change_entries(required)}.")
    return faults


def _indexes_by_name(changes: Sequence[Change]) -> dict[str, set[int]]:
    """Return, by name, the indexes of the changes that the name may declare."""
    indexes_by_name: dict[str, set[int]] = {}
    for index, change in enumerate(changes):
        for name in _names_of(change):
            indexes_by_name.setdefault(name, set()).add(index)
    return indexes_by_name


def _names_of(change: Change) -> set[str]:
    """Return the names by which a change may be declared.

    - The tool `/bin/restart`: its path, `restart`, and `restart` with anything before it, such as
      `tools.restart`; see `_with_any_prefix`.
    - The operation `mail.send`: `mail.send` and `send`.
    - A written file: its path, its name, and its action, because `write` is the name of the call.
    """
    name = base_name(change.path).casefold()
    names = {change.path, change.result_path, name}
    is_operation = not change.path.startswith("/")
    if is_operation:
        names.add(name.rpartition(".")[2])
    if change.action != "execute":
        names.add(change.action)
    elif "." not in name:
        names.add(_with_any_prefix(name))
    return names - {""}


def _names_of_declared(declared_name: str, evidence: Evidence) -> tuple[str, ...]:
    """Return the names, as of `_names_of`, that a declared name may mean.

    `orders/7.json` -> also `/orders/7.json`; `tools.restart` -> also `restart` with any prefix
    """
    if "/" in declared_name:
        path = declared_name if declared_name.startswith("/") else f"/{declared_name}"
        return declared_name, evidence.find(path).path
    folded = declared_name.casefold()
    if "." in folded:
        last_name = folded.rpartition(".")[2]
        return folded, _with_any_prefix(last_name)
    return (folded,)


def _with_any_prefix(name: str) -> str:
    """Return the key that stands for a tool's name with any prefix: `.restart` for `tools.restart`.

    A script may reach the tool through any object, so only the end of the declared name counts.
    """
    return f".{name}"


def change_names(changes: Sequence[Change]) -> str:
    """Return the first changes in words: "write of `/a.md`, delete of `/b.md` and 2 more"."""
    names = [f"{change.action} of {quote(change.path)}" for change in changes[:SHOWN_CHANGES]]
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
