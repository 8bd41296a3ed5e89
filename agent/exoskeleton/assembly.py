"""Turns a completion, the call with which the model ends the trial, into the answer.

Three functions of the benchmark may change it: `revise` applies the benchmark's
conventions, `references` corrects the cited files, and `put_in_form` brings the message
into the requested form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from controlplane.agent.events import Judged
from controlplane.agent.exoskeleton.answer_form import AnswerForm
from controlplane.agent.exoskeleton.answer_references import (
    answer_fields,
    with_references,
)
from controlplane.agent.exoskeleton.answer_submission import submit_answer
from controlplane.agent.exoskeleton.bindings import Part, SolverBindings
from controlplane.agent.exoskeleton.completion import Completion
from controlplane.agent.exoskeleton.findings import Findings
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.sandbox.interface import CallError, Plain


@dataclass(frozen=True, slots=True)
class Assembly:
    """Assembles the answers of one trial."""

    session: TrialSession
    bindings: SolverBindings
    """The functions that the benchmark adds to the solver."""
    parts: frozenset[str]
    """The optional parts of the solver that are on."""
    helper: HelperModel
    findings: Findings = field(default_factory=Findings)
    """What the trial's calls returned."""

    def submit(self, completion: Completion) -> Judged:
        """Submit the answer of a completion. Raises `CallError` if the environment refuses it."""
        revised = self._revised(completion)
        ordered = self._with_ordered_references(revised)
        formatted = self._formatted(ordered)
        return submit_answer(self.session, formatted)

    def _revised(self, completion: Completion) -> Completion:
        """Return the completion, changed to follow the benchmark's conventions.

        The benchmark's `revise` may ask a helper model to check the draft of the answer.
        """
        if Part.FORMATTER not in self.parts or self.bindings.revise is None:
            return completion

        def check_draft(schema: Mapping[str, object], text: str) -> Mapping[str, Any]:
            return self.helper.ask(
                "check_draft", schema, "format_request", message=text
            )

        return self.bindings.revise(completion, self.findings.texts, check_draft)

    def _with_ordered_references(self, completion: Completion) -> Completion:
        """Return the completion with the references (cited files) that the benchmark chooses.

        Its function gets the trial's findings if the evidence store, a part of the solver,
        is on.
        """
        uses_findings = Part.EVIDENCE_STORE in self.parts
        in_order = Part.REFERENCES in self.parts
        if not self.bindings.references or not (uses_findings or in_order):
            return completion
        arguments: dict[str, Plain] = {
            "request": self.session.instruction,
            "answer": answer_fields(completion),
            "findings": self.findings.as_json() if uses_findings else "[]",
            "in_order": in_order,
        }
        try:
            result = self.session.call(self.bindings.references, arguments)
        except CallError:
            self.session.notes.append(
                "the references stay as they were given: the workspace cannot be read"
            )
            return completion
        return with_references(completion, result)

    def _formatted(self, completion: Completion) -> Completion:
        """Return the completion with its message in the form that the request asks for."""
        put_in_form = self.bindings.put_in_form
        if Part.FORMATTER not in self.parts or put_in_form is None:
            return completion
        form = AnswerForm(self.session, put_in_form, self.helper)
        return form.formatted(completion)
