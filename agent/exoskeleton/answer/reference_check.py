"""Runs the benchmark's check that corrects the references (cited files) of an answer.

The check is a function of the environment. It may, for example, replace a draft of a policy
by the policy in force: `/docs/draft.md` -> `/docs/loans.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.exoskeleton.answer.answer_references import (
    answer_fields,
    with_references,
)
from controlplane.agent.exoskeleton.completion import Completion
from controlplane.agent.exoskeleton.findings import Findings
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.sandbox.interface import CallError, Plain


@dataclass(frozen=True, slots=True)
class ReferenceCheck:
    """Corrects the references of one trial's answers, by a function with four arguments:

    | argument | for the answer "Renewed." to "Renew loan l-12" |
    |---|---|
    | `request` | `Renew loan l-12` |
    | `answer` | `{"message": "Renewed.", "records": ["/loans/l-12.json"], ...}` |
    | `findings` | what the trial's calls returned (see `Findings.as_json`); `[]` without |
    | `in_order` | True to complete and sort the references, too |
    """

    session: TrialSession
    function: str
    """The function of the environment that checks the references."""
    findings: Findings | None
    """What the trial's calls returned; None if the check may not use it."""
    completes: bool
    """True if the check also completes and sorts the references (`in_order`)."""

    def corrected(self, completion: Completion) -> Completion:
        """Return the completion with corrected references.

        If the check fails, they stay as they are, and the model gets a note.
        """
        findings = self.findings.as_json() if self.findings is not None else "[]"
        arguments: dict[str, Plain] = {
            "request": self.session.instruction,
            "answer": answer_fields(completion),
            "findings": findings,
            "in_order": self.completes,
        }
        try:
            result = self.session.call(self.function, arguments)
        except CallError:
            self.session.recorder.step_log.notes.append(
                "the references stay as they were given: the workspace cannot be read"
            )
            return completion
        return with_references(completion, result)
