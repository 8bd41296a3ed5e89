"""Has the submissions of a trial judged in its aide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agent.evidence import MAX_PATH_CHARS, NEAR_NAMES, EvidenceLog
from agent.submission.exit_reads import ExitReads
from agent.submission.judging_data import evidence_data, findings_of, submission_data, text_data
from agent.submission.recomputation import with_recomputations
from gates import REGISTERED, Case, Findings, Submission, Verdict, find_faults, load_pack
from gates.types import MAX_REASON_CHARS, PACK_GATE, Evidence
from sandbox import Aide
from sandbox.interface import CallError

_MODULE: Final = "agent.submission.judge_in_aide"
IMPORTED_LATE: Final = ("difflib",)
"""What rules import where they use it, so that the trusted process does not: an aide cannot do so any more."""
MOST_CITATIONS: Final = 1_000


def judging_modules(packs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the modules that an aide must have imported to judge with these rule packs."""
    return (_MODULE, NEAR_NAMES, *IMPORTED_LATE, *(REGISTERED.get(each, each).partition(":")[0] for each in packs))


class SubmissionJudge:
    """Finds the faults of one trial's submissions: in its aide, or in this process where it has none."""

    def __init__(self, aide: Aide | None, log: EvidenceLog) -> None:
        self._aide = aide
        self._log = log
        self._sent = 0
        """How many texts of the log the aide was sent."""
        self._sent_paths: Mapping[str, tuple[str, ...]] | None = None
        """The listed paths that it was sent."""

    def find_faults(
        self,
        submission: Submission,
        evidence: Evidence,
        case: Case,
        packs: tuple[str, ...],
        reads: ExitReads | None = None,
    ) -> Findings:
        """Return the verdicts of all gates and rules but gate 7. What cannot be judged in time is rejected.

        `reads` makes the calls of rules that read; without it they find nothing.
        """
        try:
            _check_size(submission)
            findings = self._found(submission, evidence, case, packs)
            if self._aide is None or reads is None:
                return findings
            return with_recomputations(findings, self._aide, packs, reads)
        except (CallError, ValueError) as error:
            if self._aide is not None:
                self._aide.close()  # What it has left of its memory may be too little for the next call.
            reason = (
                f"The submission cannot be judged ({error}): give a shorter answer, fewer and shorter reasons, and "
                "cite only what the answer rests on."
            )
            return Findings((Verdict(PACK_GATE, "judging", "reject", reason[:MAX_REASON_CHARS]),), ())

    def _found(self, submission: Submission, evidence: Evidence, case: Case, packs: tuple[str, ...]) -> Findings:
        if self._aide is None:
            return find_faults(submission, evidence, case, tuple(map(load_pack, packs)))
        judging = [case.instruction, case.rules, case.rules_path, case.internal_errors_before], list(packs)
        given, paths = submission_data(submission), evidence.paths_by_spelling
        data = evidence_data(evidence, self._log.number_of, with_paths=paths != self._sent_paths)
        found = self._judged(self._aide, self._sent, given, data, *judging)
        if found is None:  # The process is a new one.
            data = evidence_data(evidence, self._log.number_of)
            found = self._judged(self._aide, 0, given, data, *judging)
        self._sent, self._sent_paths = len(self._log.texts), paths
        return findings_of(found, packs)

    def _judged(self, aide: Aide, held: int, *judging: Any) -> Any:
        """Return what the aide finds, which should hold this many texts and is sent the others; None if it does not."""
        texts = self._log.texts[held:]
        kept = [held, list(map(text_data, texts))]
        return aide.call(f"{_MODULE}:judge_submission", kept, *judging, texts=[each.text for each in texts])


def _check_size(submission: Submission) -> None:
    """Raise `ValueError` for more than any honest submission holds."""
    if len(submission.citations) > MOST_CITATIONS:
        msg = f"it cites {len(submission.citations)} paths; at most {MOST_CITATIONS} are judged"
        raise ValueError(msg)
    longest = max(map(len, submission.citations), default=0)
    if longest > MAX_PATH_CHARS:
        msg = f"it cites a path of {longest} characters; at most {MAX_PATH_CHARS} are judged"
        raise ValueError(msg)
