"""Gate 4: what is cited was read, written, deleted or executed by this trial."""

from __future__ import annotations

from gates.types.evidence import Evidence
from gates.types.plain_data import show
from gates.types.submission import Case, Submission
from gates.types.verdict import Verdict, listed, not_applicable, passes, rejects

GATE = 4
_NEAREST_FOR = 8
"""So many faults name the nearest path; looking it up for a thousand would take long and help nobody."""


def judge_read_citations(submission: Submission, evidence: Evidence, case: Case) -> Verdict:
    """Reject a citation of a path that this trial's calls never touched.

    Stands against references that a model remembers, guesses or invents. Fragments belong to their base path, and a
    path reached through another spelling counts (gate 3 asks for the right one). Seeing a name in a listing is not
    reading it. Lets pass a file that was deleted after it was read, or only written.
    """
    if not evidence.has_trace:
        return not_applicable(GATE, "there is no trace of what was read")
    citations = submission.citations
    if not citations:
        return not_applicable(GATE, "nothing is cited")
    faults: list[str] = []
    for reference in citations:
        found = evidence.find(reference)
        if found.touch is None and not found.is_directory:
            hint = evidence.hint(reference) if len(faults) < _NEAREST_FOR else ""
            faults.append(
                f"{show(reference)} was not read in this trial{hint}: read it first and see that it supports the "
                "answer, or remove it."
            )
    return rejects(GATE, *listed(faults)) if faults else passes(GATE)
