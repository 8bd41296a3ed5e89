"""Gate 4: this trial has read, written, deleted or executed what it cites."""

from __future__ import annotations

from gates.checks.gate3_canonical_citations import TAKE_BACK
from gates.types.evidence import Evidence
from gates.types.plain_data import quote
from gates.types.submission import Case, Submission
from gates.types.verdict import MAX_FAULTS, Verdict, not_applicable, verdict_of

GATE = 4


def judge_read_citations(submission: Submission, evidence: Evidence, case: Case) -> Verdict:
    """Reject a citation of a path that this trial's calls never touched.

    Guards against references that a model remembers, guesses or invents. A fragment counts for its base path, and
    another spelling for the path that it reached (gate 3 demands the right one). A name in a listing does not count as
    read. Lets pass a file that was deleted after it was read, or only written.
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
            hint = evidence.nearest_note(reference) if len(faults) < MAX_FAULTS else ""
            faults.append(
                f"{quote(reference)} was not read in this trial{hint}: read it, and see that it supports the "
                f"answer; if it does not, {TAKE_BACK}."
            )
    return verdict_of(GATE, faults)
