"""Turns a completion, the call with which the model ends the trial, into the answer.

Three functions of the benchmark may change it: `revise` applies the benchmark's
conventions, `references` corrects the cited files, and `put_in_form` brings the message
into the requested form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controlplane.agent.events import Judged
from controlplane.agent.exoskeleton.answer.answer_form import AnswerForm
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
    """A model that the functions may ask."""
    findings: Findings
    """What the trial's calls returned."""

    def submit(self, completion: Completion) -> Judged:
        """Submit the answer of a completion. Raises `CallError` if the environment refuses it."""
        # 1. Apply the benchmark's conventions, which the part `FORMATTER` does, too.
        has_formatter = Part.FORMATTER in self.parts
        if has_formatter:
            completion = self._revised(completion)

        # 2. Correct the cited files.
        completion = self._with_references(completion)

        # 3. Bring the message into the requested form, such as a single number.
        if has_formatter and self.bindings.put_in_form is not None:
            form = AnswerForm(self.session, self.bindings.put_in_form, self.helper)
            completion = form.formatted(completion)
        return submit_answer(self.session, completion)

    def _revised(self, completion: Completion) -> Completion:
        """Return the completion, changed to follow the benchmark's conventions.

        The benchmark's `revise` may ask a helper model to check the draft of the answer.
        """
        if self.bindings.revise is None:
            return completion

        def check_draft(schema: Mapping[str, object], text: str) -> Mapping[str, Any]:
            return self.helper.ask(
                "check_draft", schema, "format_request", message=text
            )

        return self.bindings.revise(completion, self.findings.texts, check_draft)

    def _with_references(self, completion: Completion) -> Completion:
        """Return the completion with the references (cited files) that the benchmark chooses.

        Two optional parts of the solver switch this on: `EVIDENCE_STORE`, which passes the
        results of the trial's calls to the benchmark, and `REFERENCES`, which also adds files.
        """
        check_name = self.bindings.references
        uses_findings = Part.EVIDENCE_STORE in self.parts
        completes = Part.REFERENCES in self.parts
        if not check_name or not (uses_findings or completes):
            return completion
        check = ReferenceCheck(
            self.session,
            check_name,
            self.findings if uses_findings else None,
            completes=completes,
        )
        return check.corrected(completion)
