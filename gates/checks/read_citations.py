"""Judges whether the cited files were read: gate 4.

A model may remember a file or invent one. So a call of this trial must have accessed each file
that the answer cites. A citation is a path with or without a fragment: `/logs/lent.tsv#row=7`.
"""

from __future__ import annotations

from controlplane.gates.checks.canonical_citations import TAKE_BACK
from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.quoting import quote
from controlplane.gates.submission import Case, Submission
from controlplane.sandbox.interface import bounds


def judge_read_citations(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Reject a citation of a path that this trial's calls never accessed.

    A citation with a fragment, or in another spelling, counts as the file that it
    refers to. Seeing a name in a listing is not enough. A file that was deleted after
    it was read, or that was only written, is accepted.
    """
    if not evidence.has_trace:
        return Inapplicable("there is no trace of what was read")
    if not submission.citations:
        return Inapplicable("nothing is cited")
    faults: list[str] = []
    for citation in submission.citations:
        target = evidence.find(citation)
        if target.access is not None or target.is_directory:  # gate 3 rejects a folder
            continue
        # The hint takes time, so only the faults that are shown get one.
        hint = ""
        is_shown = len(faults) < bounds.SHOWN_FAULTS
        if is_shown:
            # " (nearest that was read: `/a.md`)"
            hint = evidence.nearest_note(citation)
        faults.append(
            f"{quote(citation)} was not read in this trial{hint}: read it, and see that it "
            f"supports the answer; if it does not, {TAKE_BACK}."
        )
    return faults
