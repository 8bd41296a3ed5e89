"""Turns a completion, the call with which the model ends the trial, into the answer.

Three functions of the benchmark may change it: `revise` applies the benchmark's
conventions, `references` corrects the cited files, and `put_in_form` brings the message
into the requested form.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import Judged
from controlplane.agent.exoskeleton.answer.answer_form import (
    with_formatted_message,
)
from controlplane.agent.exoskeleton.answer.answer_submission import submit_answer
from controlplane.agent.exoskeleton.answer.reference_check import ReferenceCheck
from controlplane.agent.exoskeleton.bindings import Part, SolverBindings
from controlplane.agent.exoskeleton.completion import Completion
from controlplane.agent.exoskeleton.findings import Findings
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.loop.session.trial_session import TrialSession


@dataclass(frozen=True, slots=True)
class Assembly:
    """Turns the completions of one trial into its answers.

    A completion is the call with which the model ends the trial:
    `report_completion(message="12 loans", ...)`. Functions of the benchmark may change it.
    """

    session: TrialSession
    bindings: SolverBindings
    """The functions that the benchmark adds to the solver."""
    parts: frozenset[str]
    """The optional parts of the solver that are on."""
    helper: HelperModel
    """Asks small models. The benchmark's functions may use it."""
    findings: Findings
    """What the trial's calls returned."""

    def submit(self, completion: Completion) -> Judged:
        """Submit the answer of a completion. Raises `CallError` if the environment refuses it."""
        # The part `FORMATTER` covers two functions of the benchmark: `revise`, `put_in_form`.
        has_formatter = Part.FORMATTER in self.parts

        # 1. Apply the benchmark's conventions. A helper model may check the draft for this.
        revise = self.bindings.revise
        if has_formatter and revise is not None:
            texts = self.findings.texts
            completion = revise(completion, texts, self.helper.check_draft)

        # 2. Correct the cited files.
        completion = self._with_references(completion)

        # 3. Bring the message into the requested form, such as a single number.
        put_in_form = self.bindings.put_in_form
        if has_formatter and put_in_form is not None:
            completion = with_formatted_message(
                completion, put_in_form, self.session, self.helper
            )
        return submit_answer(self.session, completion)

    def _with_references(self, completion: Completion) -> Completion:
        """Return the completion with the references (cited files) that the benchmark chooses.

        The benchmark's check of references runs if one of two parts is on. With
        `EVIDENCE_STORE`, it gets the results of the trial's calls, to tell by them which files
        support the answer. With `REFERENCES`, it may also add files that are missing.
        """
        check_name = self.bindings.references
        uses_findings = Part.EVIDENCE_STORE in self.parts
        completes = Part.REFERENCES in self.parts
        is_on = uses_findings or completes
        if not check_name or not is_on:
            return completion
        check = ReferenceCheck(
            self.session,
            check_name,
            self.findings if uses_findings else None,
            completes=completes,
        )
        return check.corrected(completion)
