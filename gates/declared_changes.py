"""Gate 6's comparison of the changes that a submission declares with those that the trace shows."""

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
"""The keys of an entry that is an object, of which the first one with a value names the change."""
SHOWN_CHANGES: Final = 4
SHOWN_NAME_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class DeclaredChange:
    """An entry of `changes`."""

    name: str
    """Empty if the entry names nothing."""
    action: str = ""
    """Empty if the entry names no action."""


def faults_of_changes(changes: Plain, evidence: Evidence) -> list[str]:
    """Return the faults of `changes`: it names exactly what the trace shows as changed, in any
    spelling.

    A change that was undone, and a call of which nobody declares whether it changes something, may
    be left out.
    """
    if changes is None:
        return []
    if not isinstance(changes, list) or len(changes) > bounds.MOST_DECLARED:
        return [
            f"`changes` is {describe(changes)}: list at most {bounds.MOST_DECLARED} paths, tools and operations."
        ]
    faults: list[str] = []
    declared_changes: list[DeclaredChange] = []
    for entry in changes:
        declared = _declared_change(entry)
        if declared.name:
            declared_changes.append(declared)
        else:
            faults.append(
                f"`changes` holds {describe(entry)}, which names nothing: list paths, tools and operations as strings."
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
            if name is None and entry.get(key):
                name = entry[key]
        action = entry.get("action")
    if not isinstance(name, str):
        return DeclaredChange("")
    plain_name = name.strip().removeprefix("harness.").removesuffix("()")
    known_action = action if isinstance(action, str) and action in ACTIONS else ""
    return DeclaredChange(plain_name, known_action)


def _faults_against_trace(declared_changes: list[DeclaredChange], evidence: Evidence) -> list[str]:
    traced = list(evidence.changes)
    for tool in evidence.unclear_runs:
        traced.append(Change(tool, "execute", is_optional=True))
    numbers_by_name: dict[str, set[int]] = {}
    for number, change in enumerate(traced):
        for name in _names_of(change):
            numbers_by_name.setdefault(name, set()).add(number)

    matched: set[int] = set()
    unmade: list[str] = []
    for declared in declared_changes:
        numbers: set[int] = set()
        for name in _traced_names(declared.name, evidence):
            for number in numbers_by_name.get(name, ()):
                if declared.action in ("", traced[number].action):
                    numbers.add(number)
        matched |= numbers
        if not numbers:
            unmade.append(declared.name)

    needed: list[Change] = []
    missing: list[Change] = []
    for number, change in enumerate(traced):
        if change.is_optional or evidence.is_undone(change):
            continue
        needed.append(change)
        if number not in matched:
            missing.append(change)

    faults: list[str] = []
    if unmade:
        faults.append(f"`changes` names {quote_some(unmade)}: the trace shows no such change.")
    if missing:
        faults.append(f"`changes` leaves out {change_names(missing)}.")
    if faults:
        faults[-1] += f" By the trace, `changes` = {change_entries(needed)}."
    return faults


def _names_of(change: Change) -> set[str]:
    """Return the names of a change: of `/bin/restart` also `restart`, of `mail.send` also `send`,
    of a file its action.

    A name that begins with a point is the last part of any longer one.
    """
    name = base_name(change.path).casefold()
    names = {change.path, change.result_path, name}
    if not change.path.startswith("/"):
        names.add(name.rpartition(".")[2])
    if change.action != "execute":
        names.add(change.action)
    elif "." not in name:
        names.add(f".{name}")
    return names - {""}


def _traced_names(declared_name: str, evidence: Evidence) -> tuple[str, ...]:
    """Return the names under which a declared change may stand in the trace."""
    if "/" in declared_name:
        path = declared_name if declared_name.startswith("/") else f"/{declared_name}"
        return declared_name, evidence.find(path).path
    folded = declared_name.casefold()
    if "." in folded:
        return folded, f".{folded.rpartition('.')[2]}"
    return (folded,)


def change_names(changes: Sequence[Change]) -> str:
    """Describe changes in words; only the first ones are named."""
    names = [f"{change.action} of {quote(change.path)}" for change in changes[:SHOWN_CHANGES]]
    text = ", ".join(names)
    if len(changes) > SHOWN_CHANGES:
        text += f" and {len(changes) - SHOWN_CHANGES} more"
    return text


def change_entries(changes: Sequence[Change]) -> str:
    """Return the first different changes as a scratchpad lists them."""
    names = list(dict.fromkeys(change.path[:SHOWN_NAME_CHARS] for change in changes))
    is_printable = all(name.isprintable() for name in names)
    text = json.dumps(names[: bounds.SHOWN_NAMES], ensure_ascii=not is_printable)
    if len(names) > bounds.SHOWN_NAMES:
        text += f" and {len(names) - bounds.SHOWN_NAMES} more"
    return text
