"""Compares the changes that a submission declares with those that its calls made.

A script may declare `changes = ["/orders/7.json", "mail.send"]`. Gate 6 rejects a
declared change that no call made, and a change that was made but not declared.

A change that was undone later, such as a file that was written and deleted, may be left
out. So may a run of a tool that does not say whether it changes anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.gates.checks.change_words import change_entries, change_names
from controlplane.gates.checks.declared_change import DeclaredChange, declared_change
from controlplane.gates.checks.made_changes import MadeChanges
from controlplane.gates.evidence import Evidence
from controlplane.gates.plain_data import Plain
from controlplane.gates.quoting import describe, quote_some
from controlplane.gates.trial.changes import Change
from controlplane.sandbox.interface import bounds


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
        declared = declared_change(entry)
        if declared.name:
            declared_changes.append(declared)
        else:
            faults.append(
                f"`changes` holds {describe(entry)}, which names nothing: list paths, tools and "
                "operations as strings."
            )
    if evidence.has_trace:  # the calls of the trial are known
        faults += differences(declared_changes, MadeChanges(evidence))
    return faults


def differences(
    declared_changes: Sequence[DeclaredChange], made: MadeChanges
) -> list[str]:
    """Return at most two faults: declared changes not made, and made ones not declared.

    - "`changes` names `/b.md`: the trace shows no such change."
    - "`changes` leaves out write of `/a.md`. By the trace, `changes` = ["/a.md"]."

    Whichever comes last also says, as the second one here, what to declare.
    """
    unmade_names: list[str] = []
    named: set[Change] = set()
    for declared in declared_changes:
        changes = made.named_by(declared)
        named.update(changes)
        if not changes:
            unmade_names.append(declared.name)

    to_declare = made.to_declare()
    undeclared = [change for change in to_declare if change not in named]

    advice = f" By the trace, `changes` = {change_entries(to_declare)}."
    faults: list[str] = []
    if unmade_names:
        fault = f"`changes` names {quote_some(unmade_names)}: the trace shows no such change."
        faults.append(fault if undeclared else fault + advice)
    if undeclared:
        faults.append(f"`changes` leaves out {change_names(undeclared)}.{advice}")
    return faults
