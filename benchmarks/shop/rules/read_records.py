"""What the calls of a trial (one try at a task) have shown: records, and the roles of the asker.

A rule demands the citation of a record, such as the payment `pay_7`, only if a call has read it.
The `Evidence` has the results of the calls by path. It is empty for an answer whose calls were
not recorded.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.workspace.kinds import Kind, kind_of
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import record_id

IDENTITY_TOOL: Final = "/bin/id"
"""The tool that prints who is signed in, and in which roles: `roles: employee, floor_lead`."""


def asker_has_role(evidence: Evidence, role: str) -> bool:
    """Return True if the identity tool has printed this role of the asker, such as `employee`.

    The result is False if the trial has not run the tool: nothing else proves who asks.
    """
    output = evidence.find(IDENTITY_TOOL).access
    return output is not None and output.proves(role)


def read_records(evidence: Evidence, kind: Kind) -> dict[str, str]:
    """Return the paths of the records of a kind that the trial has read, by id.

    `Kind.RETURN` -> `{"ret_1": "/proc/returns/ret_1.json"}`
    """
    records = {}
    for path in evidence.accesses:
        is_whole_file = "#" not in path  # `export.tsv#row=p7` is one row of a file
        if is_whole_file and kind_of(path) is kind:
            records[record_id(path)] = path
    return records


def has_read_any_record(evidence: Evidence) -> bool:
    """Return True if the trial has read a record of any kind."""
    return any(kind_of(path) is not None for path in evidence.accesses)


def can_be_cited(kind: Kind, evidence: Evidence) -> bool:
    """Return True if the trial may have read a record of this kind.

    If the evidence has records, they are all that it has read. If it has none, the calls were
    perhaps not recorded, so the trial may have read any.
    """
    if not has_read_any_record(evidence):
        return True
    return bool(read_records(evidence, kind))
