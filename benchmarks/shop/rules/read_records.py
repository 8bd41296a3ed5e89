"""Which records a trial has read, and who asks by the output of the identity tool.

A rule demands a citation only of what the trial has read, such as the payment `pay_7`. Without a
trace, which is the list of the trial's calls, this is not known.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.workspace.kinds import Kind, kind_of
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import record_id
from controlplane.gates.trial.accesses import Access

IDENTITY_TOOL: Final = "/bin/id"


def identity_output(evidence: Evidence) -> Access | None:
    """Return the output of the identity tool; None if the trial has not run it.

    Only this output proves who asks: `output.proves("employee")`.
    """
    return evidence.find(IDENTITY_TOOL).access


def asker_is_staff(evidence: Evidence) -> bool:
    """Return True if the trial ran the identity tool and it named an employee (staff)."""
    identity = identity_output(evidence)
    return identity is not None and identity.proves("employee")


def read_records(evidence: Evidence, kind: Kind) -> dict[str, str]:
    """Return the paths of the records of a kind that the trial has read, by id."""
    records = {}
    for path in evidence.accesses:
        if "#" not in path and kind_of(path) is kind:
            records[record_id(path)] = path
    return records


def has_read_any_record(evidence: Evidence) -> bool:
    """Return True if the trial has read a record of any kind."""
    return any(kind_of(path) is not None for path in evidence.accesses)


def can_be_cited(kind: Kind, evidence: Evidence) -> bool:
    """Return True if the trial may have found a record of this kind.

    If the evidence has no record at all, it is not known which ones the trial has read.
    """
    has_read_one = bool(read_records(evidence, kind))
    are_records_unknown = not has_read_any_record(evidence)
    return has_read_one or are_records_unknown
