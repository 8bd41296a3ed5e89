"""What a trial has submitted so far, and what the gates said about it.

The gates check each submission, an answer that the model hands in, by rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.events import Judged
from controlplane.gates.submission import INTERNAL, OUTCOMES


@dataclass(slots=True)
class SubmissionHistory:
    """The submissions of a trial, as far as later ones depend on them."""

    internal_errors: int = 0
    """Number of submissions with the outcome `OUTCOME_ERR_INTERNAL`."""
    last_sendable: Judged | None = None
    """The last submission with an answer and a known outcome. If the gates reject
    all submissions, the trial may end with this one."""
    is_reviewed: bool = False
    """True once the second reader, a model that reviews answers, was asked."""
    objections: dict[str, dict[int, str]] = field(default_factory=dict)
    """By rule, then by step, what the model may overrule by submitting its answer again:
    `{"support/counted": {3: "The answer says 4, ..."}}`."""

    def add(self, judged: Judged, step: int) -> None:
        """Add a judged submission of a step."""
        if judged.outcome == INTERNAL:
            self.internal_errors += 1
        elif judged.outcome in OUTCOMES and judged.answer.strip():
            self.last_sendable = judged

        if judged.review is not None:
            self.is_reviewed = True
        for verdict in judged.verdicts:
            if verdict.may_be_overridden:
                self.objections.setdefault(verdict.key, {})[step] = verdict.reason

    def objections_before(self, step: int) -> dict[str, list[str]]:
        """Return what each rule said before a step, which the model has read by now.

        {"support/counted": ["The answer says 4, ..."]}
        """
        earlier: dict[str, list[str]] = {}
        for rule, by_step in self.objections.items():
            earlier[rule] = [text for number, text in by_step.items() if number < step]
        return earlier
