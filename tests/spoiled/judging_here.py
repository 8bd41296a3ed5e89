"""Judges submissions as the gated exit does, in this process: with the rules that read the workspace, without an aide.

An aide would index every text again for each submission. A test holds both ways against each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from agent.evidence import Recorder
from agent.submission.exit_reads import ExitReads, KeptReads
from gates import Case, Judgement, Submission, Verdict, conclude, find_faults, load_pack
from gates.reading import Reader, ReadLimits, Unanswered, Unread

PACK: Final = load_pack("ecom")
LIMITS: Final = ReadLimits(cpu_s=math.inf, wall_s=math.inf)
"""As many calls as a live exit may make; how long they take hangs on the machine alone."""


@dataclass
class JudgingHere:
    """Judges the submissions at the end of one trial."""

    recorder: Recorder
    instruction: str
    rules: str
    recomputes: bool = True

    def __post_init__(self) -> None:
        self._kept = KeptReads()
        self._answers: dict[str, Mapping[str, object] | Unread] = {}

    def judge(self, submission: Submission) -> Judgement:
        """Return the judgement of every gate and rule."""
        case = Case(self.instruction, self.rules, self.recorder.surface.rules_document)
        findings = find_faults(submission, self.recorder.evidence_log.view(), case, (PACK,))
        verdicts = self._recomputed(submission, case) if self.recomputes else {}
        return conclude(
            submission,
            replace(findings, verdicts=tuple(verdicts.get(each.name, each) for each in findings.verdicts)),
        )

    def _recomputed(self, submission: Submission, case: Case) -> Mapping[str, Verdict]:
        """Return the verdicts of the rules that read; each is asked again until all its calls are answered."""
        reads = ExitReads(self.recorder, self._kept, LIMITS)
        evidence = self.recorder.evidence_log.view()
        answers, reader = self._answers, Reader(self._answers)
        verdicts: dict[str, Verdict] = {}
        for rule in PACK.recomputations:
            name = f"{PACK.name}/{rule.name}"
            while name not in verdicts:
                try:
                    verdicts[name] = rule.judge(PACK.name, submission, evidence, case, reader)
                except Unanswered as asked:
                    made = reads.answers([(each.operation, each.arguments) for each in asked.calls])
                    for wanted, call in zip(asked.calls, made, strict=True):
                        failed = call.error and Unread(call.error.message, call.error.code)
                        answers[wanted.key] = failed or call.result or {}
        return verdicts
