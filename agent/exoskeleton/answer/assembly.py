"""Turns a completion, the call with which the model ends the trial, into the answer.

Functions of the benchmark may change it. For "How many loans? Answer with the number only":

| after | message | references (cited files) |
|---|---|---|
| the completion | `There are 12 loans.` | `/docs/draft.md` |
| `revise`: the benchmark's conventions | `There are 12 loans in all.` | `/docs/draft.md` |
| `references` | `There are 12 loans in all.` | `/docs/loans.md`, which is in force |
| `put_in_form` | `12` | `/docs/loans.md` |
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import Judged
from controlplane.agent.exoskeleton.answer.answer_form import (
    with_formatted_message,
)
from controlplane.agent.exoskeleton.answer.answer_submission import submit_answer
from controlplane.agent.exoskeleton.answer.reference_check import ReferenceCheck
from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.completion import Completion
from controlplane.agent.exoskeleton.findings import Findings
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.loop.session.trial_session import TrialSession


@dataclass(frozen=True, slots=True)
class Assembly:
    """Turns the completions of one trial into its answers, and submits them.

    There may be several, because the model may try again if an answer is not accepted.
    """

    session: TrialSession
    bindings: SolverBindings
    """The functions that the benchmark adds to the solver."""
    reference_check: ReferenceCheck | None
    """Corrects the cited files; None if the benchmark does not."""
    helper: HelperModel
    """Asks small models. The benchmark's functions may use it."""
    findings: Findings
    """What the trial's calls returned."""

    def submit(self, completion: Completion) -> Judged:
        """Submit the answer of a completion. Raises `CallError` if the environment refuses it."""
        # 1. Apply the benchmark's conventions. A helper model may check the draft for this.
        revise = self.bindings.revise
        if revise is not None:
            texts = self.findings.texts
            completion = revise(completion, texts, self.helper.check_draft)

        # 2. Correct the cited files.
        if self.reference_check is not None:
            completion = self.reference_check.corrected(completion)

        # 3. Bring the message into the requested form, such as a single number.
        put_in_form = self.bindings.put_in_form
        if put_in_form is not None:
            completion = with_formatted_message(
                completion, put_in_form, self.session, self.helper
            )
        return submit_answer(self.session, completion)
