"""Reasons for citations to which no gate objects."""

from __future__ import annotations

from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import record_id


def reason_for(path: str, evidence: Evidence) -> str:
    """Return a reason to cite a path to which no gate objects, whatever the trial did there.

    Gate 5 wants something of what is cited: words of a record that was read, "executed" for a
    program that was run, or "written" for a file that the trial wrote. So the reason has the first
    words of the text, or "executed", and always "written":

        pay_0001: {"id": "pay_0001", "basket_id": "basket_0001",, written
    """
    access = evidence.find(path).access
    if access and access.seen:
        words_of_record = access.seen[0].text.split()
        justification = " ".join(words_of_record[:6])
    else:
        justification = "executed"
    return f"{record_id(path)}: {justification}, written"
