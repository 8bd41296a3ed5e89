"""Has the submissions of a trial judged in its aide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agent.evidence import MAX_PATH_CHARS, NEAR_NAMES, EvidenceLog
from gates.evidence import Evidence
from gates.judging import Findings, find_objections, unjudged
from gates.rules import REGISTERED, load_pack
from gates.submission import Case, Submission
from gates.transport import evidence_data, submission_data, text_data, verdicts_of
from sandbox import Aide
from sandbox.interface import CallError

_MODULE: Final = "agent.submission.judge_in_aide"
IMPORTED_LATE: Final = ("difflib", "yaml")
"""Modules that rules import where they use them, so that the trusted process does not: an aide cannot do so later."""
MOST_CITATIONS: Final = 1_000


def judging_modules(packs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the modules that an aide must have imported to judge with these rule packs."""
    return (_MODULE, NEAR_NAMES, *IMPORTED_LATE, *(REGISTERED.get(name, name).partition(":")[0] for name in packs))


class SubmissionJudge:
    """Finds what gates and rules object to in one trial's submissions: in its aide, or here if it has none."""

    def __init__(self, aide: Aide | None, log: EvidenceLog) -> None:
        self._aide = aide
        self._log = log
        self._sent = 0
        """Texts of the log that the aide was sent."""
        self._sent_paths: Mapping[str, tuple[str, ...]] | None = None
        """The listed paths that it was sent."""

    def find_objections(
        self, submission: Submission, evidence: Evidence, case: Case, packs: tuple[str, ...]
    ) -> Findings:
        """Return the verdicts of all gates and rules but gate 7.

        A submission larger than an honest one is rejected. One that the aide does not judge in time is objected to like
        by an asking rule: the trial goes on, and a later turn can submit it again.
        """
        if oversized := _size_fault(submission):
            return unjudged(oversized, blocks=True)
        if self._aide is None:
            return find_objections(submission, evidence, case, tuple(map(load_pack, packs)))
        try:
            return self._found(self._aide, submission, evidence, case, packs)
        except (CallError, ValueError) as error:
            self._aide.close()  # What it has left of its memory may be too little for the next call.
            return unjudged(f"The submission could not be judged ({error}): submit it again in a next step.")

    def _found(
        self, aide: Aide, submission: Submission, evidence: Evidence, case: Case, packs: tuple[str, ...]
    ) -> Findings:
        about = [case.instruction, case.rules, case.rules_path, case.internal_errors_before, case.now]
        judging = about, list(packs)
        given, paths = submission_data(submission), evidence.paths_by_spelling
        data = evidence_data(evidence, self._log.number_of, with_paths=paths != self._sent_paths)
        reply = self._judged(aide, self._sent, given, data, *judging)
        if reply is None:  # The process is a new one.
            data = evidence_data(evidence, self._log.number_of)
            reply = self._judged(aide, 0, given, data, *judging)
        self._sent, self._sent_paths = len(self._log.texts), paths
        match reply:
            case [rows, list(hints)] if all(isinstance(hint, str) for hint in hints):
                return Findings(verdicts_of(rows), tuple(hints))
        msg = "verdicts of another form"
        raise ValueError(msg)

    def _judged(self, aide: Aide, held: int, *judging: Any) -> Any:
        """Return what the aide finds, which should hold this many texts and is sent the others; None if it does not."""
        texts = self._log.texts[held:]
        kept = [held, list(map(text_data, texts))]
        return aide.call(f"{_MODULE}:judge_submission", kept, *judging, texts=[seen.text for seen in texts])


def _size_fault(submission: Submission) -> str:
    """Return the fault of a submission that is larger than any honest one, or an empty string."""
    longest = max(map(len, submission.citations), default=0)
    if len(submission.citations) > MOST_CITATIONS:
        return f"The submission cites {len(submission.citations)} paths; at most {MOST_CITATIONS} are judged."
    if longest > MAX_PATH_CHARS:
        return f"The submission cites a path of {longest} characters; at most {MAX_PATH_CHARS} are judged."
    return ""
