"""Compares the changes that a submission declares with those that its calls made.

A script may declare `changes = ["/orders/7.json", "mail.send"]`. Gate 6 rejects a
declared change that no call made, and a change that was made but not declared.

A change that was undone later, such as a file that was written and deleted, may be left
out. So may a run of a tool that does not say whether it changes anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.gates.checks.change_spellings import (
    names_of_declared,
    names_of_made,
)
from controlplane.gates.checks.change_words import change_entries, change_names
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import Plain, describe, quote_some
from controlplane.gates.trial.changes import Change
from controlplane.sandbox.interface import bounds

ACTIONS: Final = ("write", "delete", "execute")
ENTRY_KEYS: Final = ("path", "tool", "operation", "name")
"""The keys under which an entry may name its change: `{"path": "/a.md"}`.

If an entry has several, the first one in this order counts.
"""


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
    declared_changes: Sequence[DeclaredChange], evidence: Evidence
) -> list[str]:
    """Return at most two faults: declared changes not made, and made ones not declared.

    The last fault also says what to declare.
    """
    made_changes = _made_changes(evidence)
    made_by_name = _by_name(made_changes)
    named_changes: set[Change] = set()
    unmade: list[str] = []
    for declared in declared_changes:
        named = _named_by(declared, made_by_name, evidence)
        named_changes.update(named)
        if not named:
            unmade.append(declared.name)

    # What surely happened, and still holds.
    required = [
        change
        for change in made_changes
        if not change.is_optional and not evidence.is_undone(change)
    ]
    missing = [change for change in required if change not in named_changes]

    faults: list[str] = []
    if unmade:
        faults.append(
            f"`changes` names {quote_some(unmade)}: the trace shows no such change."
        )
    if missing:
        faults.append(f"`changes` leaves out {change_names(missing)}.")
    if faults:
        faults[-1] += f" By the trace, `changes` = {change_entries(required)}."
    return faults


def _made_changes(evidence: Evidence) -> list[Change]:
    """Return the changes of the trace, and the runs of tools that may have changed something."""
    changes = list(evidence.changes)
    for tool in evidence.unclear_runs:
        changes.append(Change(tool, "execute", is_optional=True))
    return changes


def _by_name(changes: Iterable[Change]) -> dict[str, list[Change]]:
    """Return changes by each name that may mean them. `send` may mean several."""
    by_name: dict[str, list[Change]] = {}
    for change in changes:
        for name in names_of_made(change):
            by_name.setdefault(name, []).append(change)
    return by_name


def _named_by(
    declared: DeclaredChange,
    made_by_name: Mapping[str, Sequence[Change]],
    evidence: Evidence,
) -> list[Change]:
    """Return the changes that an entry of `changes` names."""
    named: list[Change] = []
    for name in names_of_declared(declared.name, evidence):
        for change in made_by_name.get(name, ()):
            if declared.action in ("", change.action):
                named.append(change)
    return named
